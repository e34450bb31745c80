import { createHash } from 'node:crypto';
import type { SecretStanding } from './ingress-messages.ts';

/** For so long a gateway that has not read the new secret yet is still let in. */
const overlapMs = 120_000;

/** What the api tells gateways of this runner: one secret per session. The one before is good for a while longer. */
export class IngressSecrets {
  readonly #now: () => number;
  readonly #onChange: () => void;
  #present: string | undefined;
  #previous: { readonly hash: string; readonly untilMs: number } | undefined;

  /** `now` in milliseconds of a clock that never jumps. */
  constructor(now: () => number, onChange: () => void = () => {}) {
    this.#now = now;
    this.#onChange = onChange;
  }

  take(secret: string): void {
    const hash = hashOf(secret).toString('base64');
    if (this.#present === hash) return;
    if (this.#present !== undefined) this.#previous = { hash: this.#present, untilMs: this.#now() + overlapMs };
    this.#present = hash;
    this.#onChange();
  }

  /** For ingress processes: they hold no secret, and no clock of theirs is ours. */
  standing(): SecretStanding[] {
    const present = this.#present === undefined ? [] : [{ hash: this.#present }];
    const leftMs = (this.#previous?.untilMs ?? 0) - this.#now();
    return this.#previous === undefined || leftMs <= 0 ? present : [...present, { hash: this.#previous.hash, leftMs }];
  }
}

export const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();
