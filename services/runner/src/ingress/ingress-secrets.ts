import { createHash } from 'node:crypto';
import type { Right, SecretStanding } from './ingress-messages.ts';

/** For so long a gateway or api that has not read the new secret yet is still let in. */
const overlapMs = 120_000;

/** What the api gives this runner with each session. */
export interface SessionSecrets {
  /** Gateways show this one. */
  readonly ingressSecret: string;
  /** The api shows this one for its calls. An api of the release before sends none, and shows the gateways' secret. */
  readonly callSecret?: string | undefined;
}

interface Hashed {
  readonly hash: string;
  readonly opens: Right[];
}

/** One session's secrets. Those of the session before are good for a while longer. */
export class IngressSecrets {
  readonly #now: () => number;
  readonly #onChange: () => void;
  #present: readonly Hashed[] = [];
  #previous: { readonly secrets: readonly Hashed[]; readonly untilMs: number } | undefined;

  /** `now` in milliseconds of a clock that never jumps. */
  constructor(now: () => number, onChange: () => void = () => {}) {
    this.#now = now;
    this.#onChange = onChange;
  }

  take(secrets: SessionSecrets): void {
    const hashed = hashesOf(secrets);
    if (this.#present[0]?.hash === hashed[0]?.hash) return;
    if (this.#present.length > 0) this.#previous = { secrets: this.#present, untilMs: this.#now() + overlapMs };
    this.#present = hashed;
    this.#onChange();
  }

  /** For ingress processes: they hold no secret, and no clock of theirs is ours. */
  standing(): SecretStanding[] {
    const leftMs = (this.#previous?.untilMs ?? 0) - this.#now();
    const previous = leftMs > 0 ? (this.#previous?.secrets ?? []) : [];
    return [...this.#present, ...previous.map((secret) => ({ ...secret, leftMs }))];
  }
}

function hashesOf({ ingressSecret, callSecret }: SessionSecrets): Hashed[] {
  if (callSecret === undefined) return [{ hash: base64Hash(ingressSecret), opens: ['tunnels', 'calls'] }];
  return [
    { hash: base64Hash(ingressSecret), opens: ['tunnels'] },
    { hash: base64Hash(callSecret), opens: ['calls'] },
  ];
}

const base64Hash = (secret: string): string => hashOf(secret).toString('base64');

export const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();
