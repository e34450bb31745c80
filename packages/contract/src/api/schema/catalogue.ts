// Read-only catalogues: templates and the two hubs. Specification: Template; control-plane sheet 2.17.
import { z } from 'zod';
import { FreeForm, Port } from './shared.ts';
import { Timestamp } from './text.ts';

const text = z.string().optional();
const flag = z.boolean().optional();
const count = z.int().optional();
const texts = z.array(z.string()).optional();

export const Template = z
  .object({
    name: z.string(),
    description: text,
    defaultBranch: text,
    sha: text,
    url: text,
    icon: text,
    iconDark: text,
    downloadCount: count,
    forksCount: count,
    starCount: count,
    topics: texts,
    variables: z
      .array(z.object({ name: text, description: text, integration: text, path: text, secret: flag }))
      .optional(),
  })
  .meta({ id: 'Template' });

export const TemplateFiles = z
  .object({
    files: z.array(
      z
        .object({
          path: z.string().describe('Relative to the folder of the template'),
          content: z.string().describe('Bytes in base64'),
        })
        .meta({ id: 'TemplateFile' }),
    ),
  })
  .meta({ id: 'TemplateFiles' });

const hubEntry = {
  categories: texts,
  coming_soon: flag,
  description: text,
  displayName: text,
  enterprise: flag,
  hidden: flag,
  icon: text,
  image: text,
  longDescription: text,
  name: z.string(),
  url: text,
};

export const McpDefinition = z
  .object({
    ...hubEntry,
    createdAt: Timestamp.optional(),
    updatedAt: Timestamp.optional(),
    entrypoint: z
      .object({
        command: text,
        args: texts,
        env: z.record(z.string(), z.string()).optional(),
        superGatewayArgs: texts,
      })
      .optional(),
    form: z
      .object({
        config: FreeForm.optional(),
        secrets: FreeForm.optional(),
        oauth: z.object({ type: text, scope: texts }).optional(),
      })
      .optional(),
    hiddenSecrets: texts,
    integration: text,
    transport: z.enum(['websocket', 'http-stream']).optional(),
  })
  .meta({ id: 'MCPDefinition' });

export const SandboxDefinition = z
  .object({ ...hubEntry, memory: count, ports: z.array(Port).optional(), tags: text })
  .meta({ id: 'SandboxDefinition' });
