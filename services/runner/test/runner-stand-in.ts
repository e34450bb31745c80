// A stand-in for a runner, as a process: it joins and speaks the node protocol with the runner's own connection, and runs
// no container. Each task ends with exit code 0 after `taskMs`. Prints "up" once the api knows it.
import { setTimeout as sleep } from 'node:timers/promises';
import type { DesiredInstance } from '@berth/contract/node';
import { createLogger } from '@berth/telemetry';
import { joinDeployment } from '../src/node/join-deployment.ts';
import { createNodeClient } from '../src/node/node-client.ts';
import { type DesiredStateListener, NodeLink } from '../src/node/node-link.ts';

export interface RunnerStandIn {
  readonly apiUrl: string;
  readonly joinToken: string;
  readonly memoryMb: number;
  readonly maxTasks: number;
  readonly taskMs: number;
}

const standIn: RunnerStandIn = JSON.parse(process.argv[2] ?? '{}');
const { apiUrl, joinToken, memoryMb, maxTasks, taskMs } = standIn;
const identity = await joinDeployment({ apiUrl, joinToken, name: 'runner-stand-in' });
const link = new NodeLink({
  client: createNodeClient(apiUrl, identity),
  logger: createLogger({ role: 'runner' }, { level: 'error' }),
  onReportsSent: () => {},
});

/** Tasks that were started, until the api asks for their removal. */
const known = new Set<string>();

async function runTask({ id }: DesiredInstance): Promise<void> {
  if (known.has(id)) return;
  known.add(id);
  await sleep(taskMs);
  const result = { reason: 'exited', exitCode: 0, ranMs: taskMs, endedMsAgo: 0 } as const;
  link.report(id, { state: 'ended', starts: 1, result });
}

function remove(id: string): void {
  known.delete(id);
  link.report(id, { state: 'gone', starts: 1 });
}

const desired: DesiredStateListener = {
  all({ instances, gone }) {
    for (const instance of instances) void runTask(instance);
    for (const id of gone) remove(id);
  },
  set: (instance) => void runTask(instance),
  unset: remove,
  discard: () => {},
};

link.start(desired, {
  hello: async () => ({
    protocol: 1,
    version: 'stand-in',
    isolation: ['runc', 'gvisor'],
    memoryMb,
    cpus: 64,
    maxTasks,
  }),
  measure: async () => ({ freeMemoryMb: memoryMb, freeDiskPercent: 90, instances: known.size }),
});
while (!link.isConnected) await sleep(20);
process.stdout.write('up\n');
