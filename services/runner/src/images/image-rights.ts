// What the operator allows about images on this machine: whose copy is everybody's, and for what a password is used. Pure.
import { type ImageSource, parseImageReference, registryOf } from '@berth/contract';
import { fullName } from '../driver/engine-name.ts';

export interface RegistryCredentials {
  /** With its port, as references name it. */
  readonly host: string;
  readonly username: string;
  readonly password: string;
  /** What every workspace may pull with the password. */
  readonly repositories?: readonly string[] | undefined;
}

export interface ImageWish {
  readonly image: string;
  /** Absent from an older api: then it is an outside image. */
  readonly source?: ImageSource | undefined;
  /** Whose instance needs it. */
  readonly workspaceId?: string | undefined;
}

const anything = '*';

/** Whether every workspace may use the copy that is here. A name ends with `*` to stand for all that begin so. */
export function isShared({ image, source }: ImageWish, shared: readonly string[]): boolean {
  if (source?.origin === 'deployment') return true;
  const name = fullName(image);
  if (name === undefined) return false;
  return shared.some((each) =>
    each.endsWith(anything) ? name.startsWith(each.slice(0, -anything.length)) : name === fullName(each),
  );
}

/** A tenant who names another tenant's private image does not get it with the operator's password. */
export function credentialsFor(
  wish: ImageWish,
  registries: readonly RegistryCredentials[],
  shared: readonly string[],
): RegistryCredentials | undefined {
  const parts = parseImageReference(wish.image);
  if (parts === undefined) return undefined;
  const known = registries.find(({ host }) => host.toLowerCase() === registryOf(parts));
  if (known === undefined) return undefined;
  const isOurs = wish.source?.origin === 'workspace' || isShared(wish, shared);
  return isOurs || (known.repositories ?? []).some((allowed) => covers(allowed, parts.path)) ? known : undefined;
}

/** A folder ends with a slash; the slash alone is the whole registry. */
const covers = (allowed: string, path: string): boolean =>
  allowed === '/' || (allowed.endsWith('/') ? path.startsWith(allowed) : path === allowed);
