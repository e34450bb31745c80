// References of registered images.
import { type ImageReferenceParts, parseImageReference, registeredTag } from '@berth/contract';

export interface Registrable extends ImageReferenceParts {
  /** Everything before the tag. */
  readonly repository: string;
  /** Tag of the registered image. */
  readonly tag: string;
}

/** Undefined when the text is not an image reference. */
export function parseReference(text: string): Registrable | undefined {
  const parts = parseImageReference(text);
  if (parts === undefined) return undefined;
  const { registry, path } = parts;
  const repository = registry === undefined ? path : `${registry}/${path}`;
  return { ...parts, repository, tag: registeredTag(parts) };
}
