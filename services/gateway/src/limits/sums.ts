/** What was used in a window. */
export interface Sums {
  readonly sent: bigint;
  readonly received: bigint;
  readonly nanoUsd: bigint;
}

export const noSums: Sums = { sent: 0n, received: 0n, nanoUsd: 0n };

export const addSums = (one: Sums, other: Sums): Sums => ({
  sent: one.sent + other.sent,
  received: one.received + other.received,
  nanoUsd: one.nanoUsd + other.nanoUsd,
});

/**
 * Providers tell how many tokens there were, and tenants choose providers. Whatever is told, the sums stay numbers that
 * PostgreSQL stores.
 */
export const countOf = (told: number): bigint =>
  told > 0 ? BigInt(Math.min(Math.ceil(told), Number.MAX_SAFE_INTEGER)) : 0n;
