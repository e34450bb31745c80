// References to container images, parsed as Docker does: `[registry/]path[:tag][@digest]`. Every service uses this
// parser, so that the engine pulls exactly the image that was checked when a workload was written.

export interface ImageReferenceParts {
  /** Host with its port, if any, in lower case; undefined when the reference names no registry. */
  readonly registry: string | undefined;
  readonly path: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

/** Registry of references that name none. */
export const defaultRegistry = 'docker.io';
/** Tag of references that name neither tag nor digest. */
export const defaultTag = 'latest';
/** Folder of the default registry for single-word names. */
const defaultFolder = 'library';
/** Another name of the same registry. */
const oldDefaultRegistry = 'index.docker.io';

const maxPathLength = 255;
const host = '[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?(?::\\d{1,5})?';
const component = '[a-z0-9]+(?:(?:\\.|_{1,2}|-+)[a-z0-9]+)*';
const form = new RegExp(
  `^((?:${host}/)?${component}(?:/${component})*)(?::([A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?(?:@(sha256:[a-f0-9]{64}))?$`,
);
const path = new RegExp(`^${component}(?:/${component})*$`);
/** Form of an image id. The engine would look for it on its own machine, regardless of the image's owner. */
const bareId = /^(?:sha256(?::[a-f0-9]+)?|[a-f0-9]{64})(?:[:@].*)?$/;

/** Undefined when the text is not a reference, or is an image id. */
export function parseImageReference(text: string): ImageReferenceParts | undefined {
  const [, name, tag, digest] = form.exec(text) ?? [];
  if (name === undefined || bareId.test(text)) return undefined;
  const [first = '', ...rest] = name.split('/');
  const isHost = rest.length > 0 && isRegistryHost(first);
  const parts = {
    registry: isHost ? first.toLowerCase() : undefined,
    path: isHost ? rest.join('/') : name,
    tag,
    digest,
  };
  return path.test(parts.path) && parts.path.length <= maxPathLength ? parts : undefined;
}

/** The first segment is a registry only if it looks like a host: `team/app` is a name in the default registry. */
const isRegistryHost = (segment: string): boolean => /[.:A-Z]/.test(segment) || segment === 'localhost';

/**
 * Full reference with registry, path, and tag or digest. An engine never mistakes it for an image id. A digest replaces
 * the tag, because engines ignore the tag beside a digest.
 */
export function qualifiedReference(parts: ImageReferenceParts): string {
  const { tag = defaultTag, digest } = parts;
  return `${qualifiedName(parts)}${digest === undefined ? `:${tag}` : `@${digest}`}`;
}

/** Full name, without tag and digest. */
export function qualifiedName({ registry, path }: Pick<ImageReferenceParts, 'registry' | 'path'>): string {
  const where = registryOf({ registry });
  return where === defaultRegistry && !path.includes('/') ? `${where}/${defaultFolder}/${path}` : `${where}/${path}`;
}

/** Tag under which a workspace registers the image: a digest without a tag becomes a tag. */
export function registeredTag({ tag, digest }: Pick<ImageReferenceParts, 'tag' | 'digest'>): string {
  return tag ?? digest?.replace(':', '-') ?? defaultTag;
}

export function registryOf({ registry }: Pick<ImageReferenceParts, 'registry'>): string {
  return registry === undefined || registry === oldDefaultRegistry ? defaultRegistry : registry;
}
