// Ready-made sandbox images, all below the brand's name. None is published yet, so every entry is marked as coming
// soon.
import { type Brand, Port, type SandboxDefinition } from '@berth/contract';
import { assetUrl } from '@berth/release';
import { z } from 'zod';
import { readYaml, uniquelyNamed } from './read-yaml.ts';

const Entry = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]+$/),
  displayName: z.string().min(1),
  description: z.string().min(1),
  categories: z.array(z.string()).min(1),
  memory: z.int().positive(),
  ports: z.array(Port).default([]),
  hidden: z.boolean().default(false),
  published: z.boolean().default(false),
});

const entries = readYaml(assetUrl('services/api/src/platform/sandbox-hub.yaml'), uniquelyNamed(Entry));

export const sandboxHub = (brand: Brand): z.input<typeof SandboxDefinition>[] =>
  entries.map(({ published, ...entry }) => ({
    ...entry,
    image: `${brand.short}/${entry.name}:latest`,
    coming_soon: !published,
  }));
