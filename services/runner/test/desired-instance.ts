import { randomUUID } from 'node:crypto';
import type { DesiredInstance } from '@berth/contract/node';

/** For tests: an instance of a small workload. */
export const desiredInstance = (other: Partial<DesiredInstance> = {}): DesiredInstance => ({
  id: randomUUID(),
  generation: 1,
  workspaceId: randomUUID(),
  resource: { uid: randomUUID(), kind: 'agent', name: 'one' },
  revision: '1',
  image: 'berth-tiny:latest',
  isolation: 'runc',
  memoryMb: 64,
  cpus: 1,
  port: 8080,
  env: {},
  startTimeoutSeconds: 20,
  ...other,
});
