import { parseImageReference, qualifiedReference } from '@berth/contract';
import { PullFailed } from './driver.ts';

/**
 * Fully qualified name of an image for the engine: registry, path and version. The engine would take a short name for
 * the id of any image on the machine, also of another owner, and it puts a name unchecked into the path of a request.
 */
export function engineName(image: string): string {
  const name = fullName(image);
  if (name !== undefined) return name;
  throw new PullFailed(
    'missing',
    `${image.slice(0, 300)} is not the name of an image. It reads like registry.example/name:tag, in lower case.`,
  );
}

/** Undefined when the text is no reference. */
export function fullName(image: string): string | undefined {
  const parts = parseImageReference(image);
  return parts && qualifiedReference(parts);
}
