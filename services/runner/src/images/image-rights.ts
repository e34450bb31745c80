// The operator's rules for images on this machine: local copies that all workspaces may use, and use of registry
// passwords. Pure.
import { parseImageReference, registryOf } from '@berth/contract';
import type { ImageSource } from '@berth/contract/node';
import { fullName } from '../driver/engine-name.ts';

export interface RegistryCredentials {
  /** Host with port, as in image references. */
  readonly host: string;
  readonly username: string;
  readonly password: string;
  /** Repositories that every workspace may pull with the password. */
  readonly repositories?: readonly string[] | undefined;
}

export interface ImageRequest {
  readonly image: string;
  /** Absent from an older api: then it is an outside image. */
  readonly source?: ImageSource | undefined;
  /** Workspace of the instance that needs the image. */
  readonly workspaceId?: string | undefined;
}

const anything = '*';

/** True if every workspace may use the local copy. A `*` at the end of a listed name matches any suffix. */
export function isShared({ image, source }: ImageRequest, shared: readonly string[]): boolean {
  if (source?.origin === 'deployment') return true;
  const name = fullName(image);
  if (name === undefined) return false;
  return shared.some((each) =>
    each.endsWith(anything) ? name.startsWith(each.slice(0, -anything.length)) : name === fullName(each),
  );
}

/** The operator's password is not used for a tenant who names another tenant's private image. */
export function credentialsFor(
  request: ImageRequest,
  registries: readonly RegistryCredentials[],
  shared: readonly string[],
): RegistryCredentials | undefined {
  const parts = parseImageReference(request.image);
  if (parts === undefined) return undefined;
  const known = registries.find(({ host }) => host.toLowerCase() === registryOf(parts));
  if (known === undefined) return undefined;
  const isOurs = request.source?.origin === 'workspace' || isShared(request, shared);
  return isOurs || (known.repositories ?? []).some((allowed) => covers(allowed, parts.path)) ? known : undefined;
}

/** A folder ends with a slash; the slash alone is the whole registry. */
const covers = (allowed: string, path: string): boolean =>
  allowed === '/' || (allowed.endsWith('/') ? path.startsWith(allowed) : path === allowed);
