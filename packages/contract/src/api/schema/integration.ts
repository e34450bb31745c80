// Third-party providers that the service knows; control-plane sheet 2.16.
import { z } from 'zod';
import { Timestamp } from './text.ts';

const text = z.string().optional();
const texts = z.array(z.string()).optional();
const textMap = z.record(z.string(), z.string()).optional();

const TokenPaths = z.object({ received: text, sent: text, total: text }).meta({ id: 'TokenPaths' });

export const IntegrationEndpoint = z
  .object({
    body: text,
    ignoreModels: texts,
    method: text,
    models: texts,
    streamKey: text,
    streamToken: TokenPaths.optional(),
    token: TokenPaths.optional(),
  })
  .meta({ id: 'IntegrationEndpoint' });

export const Integration = z
  .object({
    additionalInfos: textMap,
    endpoints: z.record(z.string(), IntegrationEndpoint).optional(),
    headers: textMap,
    name: z.string(),
    organizations: z.array(z.object({ id: text, name: text, displayName: text, avatar_url: text })).optional(),
    params: textMap,
    repositories: z.array(z.object({ id: text, name: text, organization: text, url: text })).optional(),
  })
  .meta({ id: 'Integration' });

/** A model that a provider lists; control-plane sheet 2.16. Only what the provider says is there. */
export const IntegrationModel = z
  .object({
    author: text,
    created_at: Timestamp.optional(),
    downloads: z.int().optional(),
    endpoint: text,
    id: text,
    library_name: text,
    likes: z.int().optional(),
    model_private: text,
    name: text,
    pipeline_tag: text,
    tags: texts,
    trending_score: z.int().optional(),
  })
  .meta({ id: 'IntegrationModel' });
