import { z } from 'zod';

/** Read by gateways, which report the demand, and by the orchestrator, which starts instances for it. */
export const scalingSection = z
  .object({
    requestsPerInstance: z
      .int()
      .positive()
      .default(10)
      .describe('Requests under way at an instance before another one is started.'),
    idleSeconds: z
      .number()
      .positive()
      .default(60)
      .describe('How long an instance stays that nobody asks for, beyond those that minScale keeps.'),
    mostInstances: z
      .int()
      .positive()
      .default(10)
      .describe('Instances of a workload that does not set maxScale, at most.'),
  })
  .prefault({});
