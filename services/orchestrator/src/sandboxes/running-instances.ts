import type { ObservedSandbox, SandboxInstance } from './observed.ts';

/** Live instances that should run. */
export const runningInstances = ({ instances }: Pick<ObservedSandbox, 'instances'>): readonly SandboxInstance[] =>
  instances.filter(({ endedAt, desired }) => endedAt === undefined && desired === 'running');
