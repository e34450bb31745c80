// Ready-made MCP servers. An entry names an image only when the image is published; until then it is marked
// `coming_soon`.
import type { McpDefinition } from '@berth/contract';
import { assetUrl } from '@berth/release';
import { z } from 'zod';
import { readYaml, uniquelyNamed } from './read-yaml.ts';

const Fields = z.record(z.string().regex(/^[A-Z][A-Z0-9_]*$/), z.string().min(1));

const Entry = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]+$/),
  displayName: z.string().min(1),
  description: z.string().min(1),
  categories: z.array(z.string()).min(1),
  /** Absent for servers that need no connection. */
  integration: z.string().optional(),
  image: z.string().optional(),
  secrets: Fields.default({}),
  config: Fields.default({}),
  oauth: z.strictObject({ type: z.string(), scope: z.array(z.string()) }).optional(),
});
type Entry = z.infer<typeof Entry>;

const entries = readYaml(assetUrl('services/api/src/platform/mcp-hub.yaml'), uniquelyNamed(Entry));

/** Form fields of a console: one text field per variable, with a label for people. */
const questions = (fields: Readonly<Record<string, string>>, secret: boolean) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, label]) => [name, { type: 'string', label, required: true, secret }]),
  );

const definition = (entry: Entry): z.input<typeof McpDefinition> => ({
  name: entry.name,
  displayName: entry.displayName,
  description: entry.description,
  categories: entry.categories,
  ...(entry.integration === undefined ? {} : { integration: entry.integration }),
  ...(entry.image === undefined ? {} : { image: entry.image }),
  coming_soon: entry.image === undefined,
  transport: 'http-stream',
  form: {
    config: questions(entry.config, false),
    secrets: questions(entry.secrets, true),
    ...(entry.oauth === undefined ? {} : { oauth: entry.oauth }),
  },
});

export const mcpHub = entries.map(definition);

/** Integrations that the hub's servers connect to, with their display names. */
export const toolIntegrations: ReadonlyMap<string, string> = new Map(
  entries.flatMap(({ integration, displayName }) => (integration === undefined ? [] : [[integration, displayName]])),
);

/**
 * Image of the hub's server for an integration: undefined when the hub has no such server, `image` undefined when it is
 * not published yet.
 */
export function hubImageFor(integration: string): { readonly image: string | undefined } | undefined {
  const entry = entries.find((candidate) => candidate.integration === integration);
  return entry === undefined ? undefined : { image: entry.image };
}
