// What an operator may set for the orchestrator. No key holds a secret.
import { z } from 'zod';

export const OrchestratorConfig = z.object({
  host: z.string().default('127.0.0.1').describe('Address that Restate calls the handlers on.'),
  port: z.int().min(0).max(65_535).default(9180).describe('Port of the handlers; 0 takes a free one.'),
  advertisedUrl: z
    .url()
    .optional()
    .describe('Where Restate reaches this process or the replicas it is one of; the listening address when absent.'),
  databaseConnections: z.int().min(2).max(500).default(10).describe('Connections this process may hold to PostgreSQL.'),
  concurrency: z
    .int()
    .min(1)
    .max(1_000)
    .default(8)
    .describe('Resources worked on at a time; each holds one connection to PostgreSQL.'),
});
export type OrchestratorConfig = z.infer<typeof OrchestratorConfig>;
