import { createHash, timingSafeEqual } from 'node:crypto';

/** For so long a gateway that has not read the new secret yet is still let in. */
const overlapMs = 120_000;

/** What the api tells gateways of this runner: one secret per session. The one before is good for a while longer. */
export class IngressSecrets {
  readonly #now: () => number;
  #present: Buffer | undefined;
  #previous: { readonly hash: Buffer; readonly untilMs: number } | undefined;

  /** `now` in milliseconds of a clock that never jumps. */
  constructor(now: () => number) {
    this.#now = now;
  }

  take(secret: string): void {
    const hash = hashOf(secret);
    if (this.#present?.equals(hash)) return;
    if (this.#present !== undefined) this.#previous = { hash: this.#present, untilMs: this.#now() + overlapMs };
    this.#present = hash;
  }

  /** Hashes are compared, in constant time: how long it takes tells nothing of the secret, not even its length. */
  isKnown(secret: string): boolean {
    const hash = hashOf(secret);
    const previous =
      this.#previous !== undefined && this.#now() < this.#previous.untilMs ? this.#previous.hash : undefined;
    return [this.#present, previous].some((each) => each !== undefined && timingSafeEqual(each, hash));
  }
}

const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();
