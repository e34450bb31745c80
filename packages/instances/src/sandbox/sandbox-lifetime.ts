// Computes when a sandbox expires. The rule that fires first counts. Control-plane sheet 3.5.
import { durationSeconds } from '@berth/contract';
import { z } from 'zod';

/** The parts of a stored spec that limit the lifetime. The contract validated them when they were written. */
const LifetimeSpec = z.object({
  runtime: z.object({ ttl: z.string().nullish(), expires: z.string().nullish() }).nullish(),
  lifecycle: z
    .object({ expirationPolicies: z.array(z.object({ type: z.string(), value: z.string() })).nullish() })
    .nullish(),
});

/** Spec as stored in the database. */
type Spec = Readonly<Record<string, unknown>>;

export interface Lifetime {
  readonly createdAtMs: number;
  /** Last real activity; absent until something has run. */
  readonly lastUsedAtMs?: number | undefined;
  /** Longest lifetime that the account allows; absent or below one means unlimited. */
  readonly maxDays?: number | undefined;
}

export interface Expiry {
  readonly atMs: number;
  /** Message of the expiration event. */
  readonly message: string;
}

const dayMs = 24 * 60 * 60 * 1000;

/** The earliest of the rules whose moment is known in advance: all but `ttl-idle`. */
export function fixedExpiry(spec: Spec, { createdAtMs, maxDays = 0 }: Lifetime): Expiry | undefined {
  const { runtime, lifecycle } = LifetimeSpec.parse(spec);
  return earliest([
    age(createdAtMs, runtime?.ttl, 'ttl'),
    date(runtime?.expires, 'expires'),
    ...(maxDays >= 1 ? [accountExpiry(createdAtMs + maxDays * dayMs)] : []),
    ...(lifecycle?.expirationPolicies ?? []).map(({ type, value }) => {
      if (type === 'ttl-idle') return undefined;
      return type === 'date' ? date(value, type) : age(createdAtMs, value, type);
    }),
  ]);
}

/** The expiry by the shortest `ttl-idle`. */
export function idleExpiry(spec: Spec, { createdAtMs, lastUsedAtMs = createdAtMs }: Lifetime): Expiry | undefined {
  const { lifecycle } = LifetimeSpec.parse(spec);
  return earliest(
    (lifecycle?.expirationPolicies ?? [])
      .filter(({ type }) => type === 'ttl-idle')
      .map(({ value }) => {
        const seconds = durationSeconds(value);
        if (seconds === undefined) return undefined;
        return { atMs: lastUsedAtMs + seconds * 1000, message: `Nobody has used it for ${value} (ttl-idle).` };
      }),
  );
}

export const expiresAtMs = (spec: Spec, lifetime: Lifetime): number | undefined =>
  earliest([fixedExpiry(spec, lifetime), idleExpiry(spec, lifetime)])?.atMs;

/** Whole seconds left, never negative; undefined when no rule limits the lifetime. */
export function expiresInSeconds(spec: Spec, lifetime: Lifetime, nowMs: number): number | undefined {
  const endMs = expiresAtMs(spec, lifetime);
  return endMs === undefined ? undefined : Math.max(0, Math.ceil((endMs - nowMs) / 1000));
}

/**
 * Reason for an expiry at the stored moment: a rule of the sandbox, or else the account's
 * limit, which only the api knows.
 */
export function expiryMessage(spec: Spec, createdAtMs: number, storedAtMs: number): string {
  const own = fixedExpiry(spec, { createdAtMs });
  return (own !== undefined && own.atMs <= storedAtMs ? own : accountExpiry(storedAtMs)).message;
}

function age(startMs: number, duration: string | null | undefined, rule: string): Expiry | undefined {
  const seconds = durationSeconds(duration ?? '');
  if (seconds === undefined) return undefined;
  return { atMs: startMs + seconds * 1000, message: `It was to live for ${duration} (${rule}).` };
}

function date(text: string | null | undefined, rule: string): Expiry | undefined {
  const atMs = Date.parse(text ?? '');
  return Number.isNaN(atMs) ? undefined : { atMs, message: `It was to live until ${text} (${rule}).` };
}

const accountExpiry = (atMs: number): Expiry => ({
  atMs,
  message: 'It has lived for as long as its account allows (sandbox_ttl).',
});

function earliest(expiries: readonly (Expiry | undefined)[]): Expiry | undefined {
  return expiries
    .filter((expiry) => expiry !== undefined)
    .reduce<Expiry | undefined>(
      (least, next) => (least === undefined || next.atMs < least.atMs ? next : least),
      undefined,
    );
}
