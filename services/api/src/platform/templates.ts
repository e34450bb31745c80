// Deployment templates: the folders below /templates of this repository, each described by its template.yaml.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { Template } from '@berth/contract';
import { assetUrl } from '@berth/release';
import { z } from 'zod';
import { readYaml } from './read-yaml.ts';

const text = z.string().default('');

const Description = z.strictObject({
  description: z.string().min(1),
  topics: z.array(z.string()).min(2),
  variables: z.array(
    z.strictObject({
      name: z.string().min(1),
      description: z.string().min(1),
      integration: text,
      path: text,
      secret: z.boolean().default(false),
    }),
  ),
});

const root = assetUrl('templates/');

interface TemplateFile {
  readonly path: string;
  readonly content: Buffer;
}

function filesOf(folder: URL): TemplateFile[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(folder.pathname.length).replace(/^\/+/, ''))
    .filter((path) => !path.split('/').includes('node_modules'))
    .sort()
    .map((path) => ({ path, content: readFileSync(new URL(path, folder)) }));
}

/** Hash of a template: changes when the name or the content of any of its files changes. */
export function contentHash(files: readonly TemplateFile[]): string {
  const hash = createHash('sha256');
  for (const { path, content } of files) hash.update(`${path}\0${content.length}\0`).update(content);
  return hash.digest('hex');
}

/** The icon is embedded as a data URL, because no other address serves it. */
function icon(files: readonly TemplateFile[], path: string): string {
  const file = files.find((candidate) => candidate.path === path);
  if (file === undefined) throw new Error(`A template has no ${path}. Add it beside its template.yaml.`);
  return `data:image/svg+xml;base64,${file.content.toString('base64')}`;
}

interface LoadedTemplate {
  readonly template: z.input<typeof Template>;
  /** Without what only the catalogue shows. */
  readonly files: readonly TemplateFile[];
}

const ofCatalogue = new Set(['template.yaml', 'icon.svg', 'icon-dark.svg']);

function load(name: string): LoadedTemplate {
  const folder = new URL(`${name}/`, root);
  const { description, topics, variables } = readYaml(new URL('template.yaml', folder), Description);
  const files = filesOf(folder);
  const template = {
    name,
    description,
    defaultBranch: 'main',
    sha: contentHash(files),
    url: `templates/${name}`,
    icon: icon(files, 'icon.svg'),
    iconDark: icon(files, 'icon-dark.svg'),
    // Always zero: templates are folders of this repository, so they have no downloads, forks or stars of their own.
    downloadCount: 0,
    forksCount: 0,
    starCount: 0,
    topics,
    variables,
  };
  return { template, files: files.filter(({ path }) => !ofCatalogue.has(path)) };
}

export const templates = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort()
  .map(load);
