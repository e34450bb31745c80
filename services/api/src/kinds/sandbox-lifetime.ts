// When a sandbox ends by itself. The rule that fires first counts. Control-plane sheet 3.5.
import { durationSeconds } from '@berth/contract';
import type { JsonObject } from '@berth/database';
import { objectsOf, section, textOf } from './spec-fields.ts';

export interface Lifetime {
  readonly createdAtMs: number;
  /** Last real activity; absent as long as nothing ran. */
  readonly lastUsedAtMs?: number | undefined;
  /** Longest life the account allows; absent or below one means any. */
  readonly longestDays?: number | undefined;
}

const dayMs = 24 * 60 * 60 * 1000;

const after = (startMs: number, duration: unknown): number | undefined => {
  const seconds = durationSeconds(textOf(duration) ?? '');
  return seconds === undefined ? undefined : startMs + seconds * 1000;
};

const instant = (text: unknown): number | undefined => {
  const ms = Date.parse(textOf(text) ?? '');
  return Number.isNaN(ms) ? undefined : ms;
};

export function expiresAtMs(spec: JsonObject, lifetime: Lifetime): number | undefined {
  const { createdAtMs, lastUsedAtMs = createdAtMs, longestDays = 0 } = lifetime;
  const runtime = section(spec, 'runtime');
  const ends = [
    after(createdAtMs, runtime.ttl),
    instant(runtime.expires),
    longestDays >= 1 ? createdAtMs + longestDays * dayMs : undefined,
    ...objectsOf(section(spec, 'lifecycle').expirationPolicies).map(({ type, value }) => {
      if (type === 'date') return instant(value);
      return after(type === 'ttl-idle' ? lastUsedAtMs : createdAtMs, value);
    }),
  ].filter((end) => end !== undefined);
  return ends.length === 0 ? undefined : Math.min(...ends);
}

/** Whole seconds left, never negative; undefined when no rule ends it. */
export function expiresInSeconds(spec: JsonObject, lifetime: Lifetime, nowMs: number): number | undefined {
  const endMs = expiresAtMs(spec, lifetime);
  return endMs === undefined ? undefined : Math.max(0, Math.ceil((endMs - nowMs) / 1000));
}
