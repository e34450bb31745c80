// Stops and resumes all processes of a container. The method depends on the isolation class.
import type { RunningSandbox } from './running-sandbox.ts';

export type Freezable = Pick<RunningSandbox, 'containerId' | 'pid' | 'isolation'>;

/** All methods are idempotent. */
export interface Freezer {
  /** Throws when freezing fails or the container has ended; then the container is left thawed, as far as possible. */
  freeze(container: Freezable): Promise<void>;
  /** Does nothing for a container that has ended. */
  thaw(container: Freezable): Promise<void>;
  isFrozen(container: Freezable): Promise<boolean>;
}
