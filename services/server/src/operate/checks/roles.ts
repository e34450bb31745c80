import { answers } from '../machine/answers.ts';
import { ports } from '../machine/ports.ts';
import type { Check } from './check.ts';

const role = (name: string, port: number, log: string): Check => ({
  name,
  why: 'a role that is not ready does not do its work',
  when: 'running',
  needs: ['services', 'postgres', 'restate', 'schema', 'master-keys', 'docker'],
  async look() {
    try {
      await answers(`http://127.0.0.1:${port}/readyz`);
      return undefined;
    } catch (error) {
      return { what: error instanceof Error ? error.message : String(error), fix: log };
    }
  },
});

const ofContainer = (name: string): string =>
  `docker logs --tail 30 berth-${name}-1 says why; then: docker restart berth-${name}-1`;

export const roles: readonly Check[] = [
  role('api', ports.apiHealth, ofContainer('control')),
  role('orchestrator', ports.orchestratorHealth, ofContainer('control')),
  role('gateway-1', ports.gatewayHealth, ofContainer('gateway-1')),
  role('gateway-2', ports.secondGatewayHealth, ofContainer('gateway-2')),
  role(
    'runner',
    ports.runnerHealth,
    'systemctl restart berth-runner; journalctl --unit berth-runner --lines 30 says why it was not ready',
  ),
];
