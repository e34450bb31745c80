// Operator settings for placing instances. Read by the services that assign an instance to a runner: the api for a
// claimed sandbox, the orchestrator for everything else.
import type { Brand } from '@berth/contract';
import { z } from 'zod';
import { runcRules } from './runc-rule.ts';

const Sandboxes = z.object({
  defaultImage: z
    .string()
    .min(1)
    .optional()
    .describe('Image of a sandbox that names none; without it, one has to be named.'),
  defaultMemoryMb: z.int().min(128).default(4096).describe('Memory of a sandbox that does not say how much it needs.'),
  overcommit: z
    .number()
    .min(1)
    .default(8)
    .describe('How many times the memory of a machine may be promised to sandboxes: most of them sleep.'),
  idleSeconds: z
    .number()
    .positive()
    .default(15)
    .describe('A sandbox without a connection or a keepAlive process sleeps after so long.'),
  lostAfterSeconds: z
    .number()
    .positive()
    .default(86_400)
    .describe(
      'A sandbox whose machine has been away for so long has failed. Until then the machine may bring it back.',
    ),
});

export const PlacementConfig = z.object({
  defaultMemoryMb: z
    .int()
    .min(128)
    .default(2048)
    .describe('Memory of an instance whose workload does not say how much it needs.'),
  startTimeoutSeconds: z
    .number()
    .positive()
    .default(45)
    .describe('How long a started instance may take until its port accepts connections.'),
  overcommit: z
    .number()
    .min(1)
    .default(1)
    .describe('How many times the memory of a machine may be promised to instances.'),
  imageRegistry: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Registry, as runners reach it, that holds hub images (registry/brand/…) and those of workspaces (registry/workspace/…). No workspace may name another folder of it.',
    ),
  runcFor: z
    .enum(runcRules)
    .default('mk2-workloads')
    .describe(
      'What may run on runc, where code shares the kernel of its machine with all others there. `nothing`: everything runs under gVisor. `mk2-workloads`: agents and functions that ask for generation mk2. `everything`: sandboxes that ask for mk2 too; and where no registered runner of a region has gVisor, whatever runs there. What needs gVisor waits while no runner has it.',
    ),
  sandboxes: Sandboxes.prefault({}),
});
export type PlacementConfig = z.infer<typeof PlacementConfig>;

export interface PlacementSettings {
  readonly placement: PlacementConfig;
  readonly brand: Brand;
}

/** A place where runners are, as location policies see it. */
export interface Region {
  readonly name: string;
  readonly continent: string;
  readonly country: string;
}
