import type { Pull, PullFailed } from '../driver/driver.ts';

type Listener = Pull['onProgress'];

export interface RunningPull {
  readonly image: string;
  /** The engine gives up what it has downloaded and unpacked. Everybody who waits for the image gets the reason. */
  abort(reason: PullFailed): void;
}

interface AbortablePull extends RunningPull {
  readonly signal: AbortSignal;
}

/** One pull per image at a time: whoever comes later joins it and hears of its progress too. */
export class SharedPulls {
  readonly #pull: (pull: AbortablePull, onProgress: Listener) => Promise<void>;
  readonly #running = new Map<string, { pull: RunningPull; done: Promise<void>; listeners: Listener[] }>();

  constructor(pull: (pull: AbortablePull, onProgress: Listener) => Promise<void>) {
    this.#pull = pull;
  }

  has(image: string): boolean {
    return this.#running.has(image);
  }

  running(): readonly RunningPull[] {
    return [...this.#running.values()].map(({ pull }) => pull);
  }

  pull(image: string, onProgress: Listener): Promise<void> {
    const running = this.#running.get(image);
    if (running !== undefined) {
      running.listeners.push(onProgress);
      return running.done;
    }
    const listeners = [onProgress];
    const tellAll: Listener = (bytes) => {
      for (const listener of listeners) listener(bytes);
    };
    const ending = new AbortController();
    const pull = { image, signal: ending.signal, abort: (reason: PullFailed) => ending.abort(reason) };
    const done = this.#pull(pull, tellAll).finally(() => this.#running.delete(image));
    this.#running.set(image, { pull, done, listeners });
    return done;
  }
}
