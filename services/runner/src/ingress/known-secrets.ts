import { timingSafeEqual } from 'node:crypto';
import type { Right, SecretStanding } from './ingress-messages.ts';
import { hashOf } from './ingress-secrets.ts';

/** What an ingress process knows of the runner's secrets. */
export class KnownSecrets {
  readonly #now: () => number;
  #known: readonly { readonly hash: Buffer; readonly opens: readonly Right[]; readonly untilMs: number }[] = [];

  /** `now` in milliseconds of a clock that never jumps. */
  constructor(now: () => number) {
    this.#now = now;
  }

  learn(standing: readonly SecretStanding[]): void {
    this.#known = standing.map(({ hash, opens, leftMs }) => ({
      opens,
      hash: Buffer.from(hash, 'base64'),
      untilMs: leftMs === undefined ? Number.POSITIVE_INFINITY : this.#now() + leftMs,
    }));
  }

  /** Hashes are compared, in constant time: how long it takes tells nothing of the secret, not even its length. */
  rightsOf(secret: string): ReadonlySet<Right> {
    const said = hashOf(secret);
    const known = this.#known.filter(({ hash, untilMs }) => this.#now() < untilMs && timingSafeEqual(hash, said));
    return new Set(known.flatMap(({ opens }) => opens));
  }
}
