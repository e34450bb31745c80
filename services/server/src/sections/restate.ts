import { z } from 'zod';

export const restateSection = z
  .object({
    ingressUrl: z.url().default('http://127.0.0.1:8088').describe('Where work is handed to Restate.'),
    adminUrl: z.url().default('http://127.0.0.1:9070').describe('Where handlers are registered with Restate.'),
  })
  .prefault({});
