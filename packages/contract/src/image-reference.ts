// References to container images, read as Docker reads them: `[registry/]path[:tag][@digest]`. Every service reads them here, so
// that what is checked when a workload is written is what the engine pulls.

export interface ImageReferenceParts {
  /** Host, with its port where one is named, in lower case; undefined when the reference names none. */
  readonly registry: string | undefined;
  readonly path: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

/** Where the engine looks for a reference that names no registry. */
export const defaultRegistry = 'docker.io';
/** Folder of the default registry for names that are one word. */
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
/** An image's id: the engine would look for it on its own machine, whoever the image belongs to. */
const bareId = /^(?:sha256(?::[a-f0-9]+)?|[a-f0-9]{64})(?:[:@].*)?$/;

/** Undefined when the text is no reference, or is the id of an image. */
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

/** What stands before the first slash is a registry only if it looks like a host: `team/app` is a name at the default one. */
const isRegistryHost = (segment: string): boolean => /[.:A-Z]/.test(segment) || segment === 'localhost';

/**
 * The registry, path and tag or digest in full. An engine never takes such a text for the id of an image. A digest says more
 * than the tag beside it, which engines ignore then.
 */
export function qualifiedReference(parts: ImageReferenceParts): string {
  const { tag = 'latest', digest } = parts;
  return `${qualifiedName(parts)}${digest === undefined ? `:${tag}` : `@${digest}`}`;
}

/** The same without tag and digest. */
export function qualifiedName({ registry, path }: Pick<ImageReferenceParts, 'registry' | 'path'>): string {
  const where = registryOf({ registry });
  return where === defaultRegistry && !path.includes('/') ? `${where}/${defaultFolder}/${path}` : `${where}/${path}`;
}

export function registryOf({ registry }: Pick<ImageReferenceParts, 'registry'>): string {
  return registry === undefined || registry === oldDefaultRegistry ? defaultRegistry : registry;
}
