// How the api speaks of a registry's reference that was registered.
import { type ImageReferenceParts, parseImageReference } from '@berth/contract';

export interface Registrable extends ImageReferenceParts {
  /** Everything before the tag. */
  readonly repository: string;
  /** Under which it is registered: `latest` when none is named; a digest without a tag becomes a tag of its own. */
  readonly tag: string;
}

/** Undefined when the text is no reference. */
export function parseReference(text: string): Registrable | undefined {
  const parts = parseImageReference(text);
  if (parts === undefined) return undefined;
  const { registry, path, tag, digest } = parts;
  const repository = registry === undefined ? path : `${registry}/${path}`;
  return { ...parts, repository, tag: tag ?? digest?.replace(':', '-') ?? 'latest' };
}
