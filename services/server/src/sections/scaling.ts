import { z } from 'zod';

/** Read by gateways, which report the demand, and by the orchestrator, which starts instances for it. */
export const scalingSection = z
  .object({
    requestsPerInstance: z
      .int()
      .positive()
      .default(10)
      .describe('Concurrent requests per instance above which another instance is started.'),
    idleSeconds: z
      .number()
      .positive()
      .default(60)
      .describe('Seconds without requests after which an instance beyond minScale is stopped.'),
    mostInstances: z
      .int()
      .positive()
      .default(10)
      .describe('Maximum number of instances of a workload that does not set maxScale.'),
  })
  .prefault({});
