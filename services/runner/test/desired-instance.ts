import { randomUUID } from 'node:crypto';
import type { SandboxInstance, ServeInstance } from '@berth/contract/node';

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
  port: 8080,
  env: {},
  startTimeoutSeconds: 20,
});

/** For tests: an instance of a small workload. */
export const desiredInstance = (other: Partial<ServeInstance> = {}): ServeInstance => ({
  ...fields('agent'),
  mode: 'serve',
  ...other,
});

/** For tests: a small sandbox. */
export const desiredSandbox = (other: Partial<SandboxInstance> = {}): SandboxInstance => ({
  ...fields('sandbox'),
  mode: 'sandbox',
  sandbox: { idleSeconds: 15 },
  ...other,
});
