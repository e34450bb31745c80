import type { Check, LookedAtRunner } from './check.ts';
import { clock } from './clock.ts';
import { closedFiles } from './closed-files.ts';
import { diskSpace } from './disk-space.ts';
import { freeRunnerPorts } from './free-ports.ts';
import { images } from './images.ts';
import { nodeListener } from './node-listener.ts';
import { runnerRole } from './roles.ts';
import { system } from './system.ts';

/** Checks of a machine with a runner alone, causes before their effects. */
export const runnerChecks: readonly Check<LookedAtRunner>[] = [
  system,
  diskSpace,
  clock,
  freeRunnerPorts,
  closedFiles,
  images,
  nodeListener,
  runnerRole,
];
