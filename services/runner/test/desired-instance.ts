import { randomUUID } from 'node:crypto';
import type { SandboxInstance, ServeInstance, TaskInstance } from '@berth/contract/node';

const fields = (kind: string) => ({
  id: randomUUID(),
  generation: 1,
  workspaceId: randomUUID(),
  resource: { uid: randomUUID(), kind, name: 'one' },
  revision: '1',
  image: 'berth-tiny:latest',
  isolation: 'runc' as const,
  memoryMb: 64,
  cpus: 1,
  env: {},
});
const readiness = { port: 8080, startTimeoutSeconds: 20 };

/** For tests: an instance of a small workload. */
export const desiredInstance = (other: Partial<ServeInstance> = {}): ServeInstance => ({
  ...fields('agent'),
  ...readiness,
  mode: 'serve',
  ...other,
});

/** For tests: a small sandbox. */
export const desiredSandbox = (other: Partial<SandboxInstance> = {}): SandboxInstance => ({
  ...fields('sandbox'),
  ...readiness,
  mode: 'sandbox',
  sandbox: { idleSeconds: 15 },
  ...other,
});

/** For tests: a small task of a job. */
export const desiredTask = (other: Partial<TaskInstance> = {}): TaskInstance => ({
  ...fields('job'),
  mode: 'task',
  timeoutSeconds: 600,
  graceSeconds: 1,
  ...other,
});
