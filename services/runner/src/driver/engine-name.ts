import { parseImageReference, qualifiedReference } from '@berth/contract';
import { PullFailed } from './driver.ts';

/**
 * The name under which the engine is asked for an image: registry, path and version in full. The engine takes a short name for
 * the id of any image of the machine, whoever it belongs to, and puts whatever it is given into the path of a request.
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
