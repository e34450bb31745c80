import type { Pull } from '../driver/driver.ts';

type Listener = Pull['onProgress'];

/** One pull per image at a time: whoever comes later joins it and hears of its progress too. */
export class SharedPulls {
  readonly #pull: (image: string, onProgress: Listener) => Promise<void>;
  readonly #running = new Map<string, { done: Promise<void>; listeners: Listener[] }>();

  constructor(pull: (image: string, onProgress: Listener) => Promise<void>) {
    this.#pull = pull;
  }

  has(image: string): boolean {
    return this.#running.has(image);
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
    const done = this.#pull(image, tellAll).finally(() => this.#running.delete(image));
    this.#running.set(image, { done, listeners });
    return done;
  }
}
