import { z } from 'zod';

export const restateSection = z
  .object({
    ingressUrl: z
      .url()
      .default('http://127.0.0.1:8088')
      .describe('Address of the Restate ingress, which accepts work.'),
    adminUrl: z
      .url()
      .default('http://127.0.0.1:9070')
      .describe('Address of the Restate admin API, where handlers are registered.'),
  })
  .prefault({});
