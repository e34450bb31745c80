import { parseImageReference, qualifiedReference } from '@berth/contract';
import { PullFailed } from './driver.ts';

/**
 * The name under which the engine is asked for an image: registry, path and version in full. The engine takes a short name for
 * the id of any image of the machine, whoever it belongs to, and puts whatever it is given into the path of a request.
 */
export function engineName(image: string): string {
  const parts = parseImageReference(image);
  if (parts !== undefined) return qualifiedReference(parts);
  throw new PullFailed(
    'missing',
    `${image.slice(0, 300)} is not the name of an image. It reads like registry.example/name:tag, in lower case.`,
  );
}
