import { join } from 'node:path';
import type { Choices } from '../install/install-record.ts';
import type { Installation } from '../install/installation.ts';
import { readIfThere } from '../machine/write-file.ts';
import { edgeFiles } from './caddyfile.ts';

/** Root of the authority that the edge has of its own. */
export const internalRoot = ({ places }: Pick<Installation, 'places'>): string =>
  join(places.data, 'caddy/caddy/pki/authorities/local/root.crt');

/** Authorities beside the public ones that certificates of this edge may come from, PEM. */
export async function edgeAuthorities(installation: Pick<Installation, 'places'>): Promise<string[]> {
  const { caddy } = installation.places;
  const files = [internalRoot(installation), join(caddy, edgeFiles.root), join(caddy, edgeFiles.certificate)];
  const found = await Promise.all(files.map(readIfThere));
  return found.filter((text) => text !== undefined);
}

/** File with the roots of the edge's certificate; undefined where the authority is a public one. */
export function edgeRoot(
  installation: Pick<Installation, 'places'>,
  { domain, hasAcmeRoot }: Pick<Choices, 'domain' | 'hasAcmeRoot'>,
): string | undefined {
  if (domain === undefined) return internalRoot(installation);
  return hasAcmeRoot ? join(installation.places.caddy, edgeFiles.root) : undefined;
}
