// Names of the images that a workspace registers: `agent/name:tag`, with or without the workspace's name before it.
import { imageResourceTypes, parseImageReference, registeredTag } from '@berth/contract';

/** The image type that the first segment of a name stands for: `app` for applications. Undefined when it is no type. */
export const imageTypeOf = (segment: string): string | undefined =>
  segment === 'app' ? 'application' : imageResourceTypes.find((type) => type === segment);

export interface RegisteredName {
  /** Candidate types: a name that has only the workspace before it does not state its type. */
  readonly types: readonly string[];
  readonly name: string;
  readonly tag: string;
}

/** Undefined when the text cannot be the name of a registered image: most names are references to a registry. */
export function registeredName(named: string, workspace: string): RegisteredName | undefined {
  const parts = parseImageReference(named);
  if (parts === undefined || parts.registry !== undefined) return undefined;
  // A tag stands for the image registered under it; a digest beside it could contradict that.
  if (parts.tag !== undefined && parts.digest !== undefined) return undefined;
  const tag = registeredTag(parts);
  const segments = parts.path.split('/');
  const [first = '', second = '', third, ...more] = segments;
  if (more.length > 0) return undefined;
  const type = imageTypeOf(first);
  if (segments.length === 2 && type !== undefined) return { types: [type], name: second, tag };
  if (first !== workspace) return undefined;
  if (segments.length === 2) return { types: imageResourceTypes, name: second, tag };
  const inner = imageTypeOf(second);
  return inner === undefined || third === undefined ? undefined : { types: [inner], name: third, tag };
}
