// Operator settings for placing instances. Read by the services that assign an instance to a runner: the api for a
// claimed sandbox, the orchestrator for everything else.
import type { Brand } from '@berth/contract';
import { z } from 'zod';
import { runcRules } from './place/runc-rule.ts';

const Sandboxes = z.object({
  defaultImage: z
    .string()
    .min(1)
    .optional()
    .describe('Image of a sandbox that names none. Without a default, every sandbox has to name an image.'),
  defaultMemoryMb: z.int().min(128).default(4096).describe('Memory of a sandbox that does not set its own.'),
  overcommit: z
    .number()
    .min(1)
    .default(8)
    .describe(
      'Factor by which the memory reserved for sandboxes may exceed the memory of a runner: most sandboxes sleep.',
    ),
  idleSeconds: z
    .number()
    .positive()
    .default(15)
    .describe('A sandbox without a connection or a keepAlive process sleeps after this many seconds.'),
  lostAfterSeconds: z
    .number()
    .positive()
    .default(86_400)
    .describe(
      'A sandbox fails when its runner has been away for this many seconds. A runner that returns earlier continues with it.',
    ),
});

const GatewayUrl = z
  .url({ protocol: /^https?$/ })
  .regex(/^\w+:\/\/[^/?#@]+\/?$/, 'Expected an address without a path, such as https://run.example.com');

export const PlacementConfig = z.object({
  defaultMemoryMb: z
    .int()
    .min(128)
    .default(2048)
    .describe('Memory of an instance whose workload does not set its own.'),
  startTimeoutSeconds: z
    .number()
    .positive()
    .default(45)
    .describe('Time within which the port of a started instance has to accept connections.'),
  overcommit: z
    .number()
    .min(1)
    .default(1)
    .describe('Factor by which the memory reserved for instances may exceed the memory of a runner.'),
  imageRegistry: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Registry, as runners reach it, with the hub images (registry/brand/…) and the images of workspaces (registry/workspace/…). A workspace may name only its own folder.',
    ),
  runcFor: z
    .enum(runcRules)
    .default('mk2-workloads')
    .describe(
      'Instances that may run on runc, where they share the kernel of their machine. `nothing`: everything runs under gVisor. `mk2-workloads`: agents, functions and jobs of generation mk2 may run on runc. `everything`: sandboxes of generation mk2 may too, and so may every instance in a region where no registered runner has gVisor. An instance that needs gVisor waits while no runner has it.',
    ),
  sandboxes: Sandboxes.prefault({}),
  jobs: z
    .object({
      memoryShare: z
        .number()
        .gt(0)
        .max(1)
        .default(0.8)
        .describe(
          'Share of a runner’s memory that tasks of jobs may fill together with everything else. The rest stays free for agents and sandboxes.',
        ),
      gatewayUrl: GatewayUrl.optional().describe(
        'Address at which tasks of jobs reach a gateway to read their arguments, such as https://run.example.com. Runners must allow it (runner.gateways) when it is in a private network. Default: run. below api.workloadDomain, with the scheme and port of workload addresses.',
      ),
    })
    .prefault({}),
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
