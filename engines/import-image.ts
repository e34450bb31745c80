import type { Readable } from 'node:stream';
import { callDocker } from './docker-api.ts';

/** Creates an image from a root file system (a tar), with settings in Dockerfile syntax. */
export async function importImage(
  url: string,
  name: string,
  tar: Readable | Buffer,
  settings: readonly string[],
): Promise<void> {
  const query = new URLSearchParams({ fromSrc: '-', ...nameAndTag(name) });
  for (const setting of settings) query.append('changes', setting);
  await callDocker(url, `POST /images/create?${query}`, { body: tar });
}

export async function tagImage(url: string, name: string, other: string): Promise<void> {
  await callDocker(url, `POST /images/${name}/tag?${new URLSearchParams(nameAndTag(other))}`);
}

/** A colon before the last slash belongs to a registry's port. */
function nameAndTag(name: string): { repo: string; tag: string } {
  const [, repo = name, tag = 'latest'] = /^(.+?)(?::([^:/]+))?$/.exec(name) ?? [];
  return { repo, tag };
}
