import { answers } from '../machine/answers.ts';
import { ports } from '../machine/ports.ts';
import type { Check, LookedAtMachine } from './check.ts';

const role = (name: string, port: number, log: string, needs: readonly string[]): Check<LookedAtMachine> => ({
  name,
  why: 'a role that is not ready does not do its work',
  when: 'running',
  needs,
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

const ofDeployment = ['services', 'postgres', 'restate', 'schema', 'master-keys', 'docker'];
const ofUnit = 'systemctl restart berth-runner; journalctl --unit berth-runner --lines 30 says why it was not ready';

/** On a machine with a runner alone. */
export const runnerRole = role('runner', ports.runnerHealth, ofUnit, ['docker', 'node-listener']);

export const roles: readonly Check[] = [
  role('api', ports.apiHealth, ofContainer('control'), ofDeployment),
  role('orchestrator', ports.orchestratorHealth, ofContainer('control'), ofDeployment),
  role('gateway-1', ports.gatewayHealth, ofContainer('gateway-1'), ofDeployment),
  role('gateway-2', ports.secondGatewayHealth, ofContainer('gateway-2'), ofDeployment),
  role('runner', ports.runnerHealth, ofUnit, ofDeployment),
];
