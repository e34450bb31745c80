import type { Pull, PullFailed } from '../driver/driver.ts';

type Listener = Pull['onProgress'];
export type PullRequest = Pick<Pull, 'image' | 'credentials'>;

export interface RunningPull {
  readonly image: string;
  /** Aborts the pull; the engine drops its downloaded and unpacked data. Every waiting caller gets the reason. */
  abort(reason: PullFailed): void;
}

type AbortablePull = PullRequest & RunningPull & { readonly signal: AbortSignal };

/**
 * One pull at a time per image and credentials: later callers with the same right join it and receive its progress. A
 * caller that may not use a password does not join a pull that uses one.
 */
export class SharedPulls {
  readonly #pull: (pull: AbortablePull, onProgress: Listener) => Promise<void>;
  readonly #running = new Map<string, { pull: RunningPull; done: Promise<void>; listeners: Listener[] }>();

  constructor(pull: (pull: AbortablePull, onProgress: Listener) => Promise<void>) {
    this.#pull = pull;
  }

  has(image: string): boolean {
    return this.running().some((running) => running.image === image);
  }

  running(): readonly RunningPull[] {
    return [...this.#running.values()].map(({ pull }) => pull);
  }

  pull(request: PullRequest, onProgress: Listener): Promise<void> {
    const { image, credentials } = request;
    const key = credentials === undefined ? image : `${image} with password`;
    const running = this.#running.get(key);
    if (running !== undefined) {
      running.listeners.push(onProgress);
      return running.done;
    }
    const listeners = [onProgress];
    const tellAll: Listener = (bytes) => {
      for (const listener of listeners) listener(bytes);
    };
    const ending = new AbortController();
    const pull = { ...request, signal: ending.signal, abort: (reason: PullFailed) => ending.abort(reason) };
    const done = this.#pull(pull, tellAll).finally(() => this.#running.delete(key));
    this.#running.set(key, { pull, done, listeners });
    return done;
  }
}
