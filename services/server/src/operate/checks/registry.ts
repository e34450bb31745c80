import { certificates } from './certificates.ts';
import type { Check } from './check.ts';
import { clock } from './clock.ts';
import { closedFiles } from './closed-files.ts';
import { compose } from './compose.ts';
import { diskSpace } from './disk-space.ts';
import { engines } from './engines.ts';
import { freePorts } from './free-ports.ts';
import { images } from './images.ts';
import { masterKeys } from './master-keys.ts';
import { memory } from './memory.ts';
import { names } from './names.ts';
import { reachableRunners } from './reachable-runners.ts';
import { roles } from './roles.ts';
import { sandbox } from './sandbox.ts';
import { schema } from './schema.ts';
import { services } from './services.ts';
import { silentRunners } from './silent-runners.ts';
import { system } from './system.ts';

/** Causes before their effects: the first finding is the one to mend first. */
export const checks: readonly Check[] = [
  system,
  memory,
  diskSpace,
  clock,
  compose,
  freePorts,
  names,
  closedFiles,
  images,
  services,
  ...engines,
  schema,
  masterKeys,
  ...roles,
  silentRunners,
  reachableRunners,
  certificates,
  sandbox,
];
