// Stops every process of a container where it stands, and lets it go on. Which way depends on the isolation class.
import type { RunningSandbox } from './keeper.ts';

export type Freezable = Pick<RunningSandbox, 'containerId' | 'pid' | 'isolation'>;

/** All of it may be said again and changes nothing then. */
export interface Freezer {
  /** Throws when it could not, or when the container has ended; then nothing of it is frozen, as far as that can be had. */
  freeze(container: Freezable): Promise<void>;
  /** Of a container that has ended there is nothing to thaw, and that is no failure. */
  thaw(container: Freezable): Promise<void>;
  isFrozen(container: Freezable): Promise<boolean>;
}
