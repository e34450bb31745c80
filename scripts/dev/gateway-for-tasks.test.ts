import { expect, test } from 'vitest';
import { gatewayForTasks } from './gateway-for-tasks.ts';

test('tasks read their arguments at the address of this machine on the bridge, which is open to them and the gateway’s own', () => {
  const env = gatewayForTasks({ subnet: '100.96.0.0/16', port: 8090, workloadDomain: 'localhost' });
  expect(env.BERTH_PLACEMENT_JOBS_GATEWAY_URL).toBe('http://100.96.0.1:8090');
  expect(JSON.parse(env.BERTH_RUNNER_GATEWAYS ?? '')).toEqual([{ address: '100.96.0.1', port: 8090 }]);
  expect(JSON.parse(env.BERTH_GATEWAY_HOSTS ?? '')).toEqual(['localhost', 'run.localhost', '100.96.0.1']);
});
