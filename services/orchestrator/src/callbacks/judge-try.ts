// What a try means for its delivery. Pure.
import { pauseAfterMs } from './schedule.ts';

/** The status of the answer, or why there was none. */
export type TryResult = { readonly status: number } | { readonly error: string };

export type Verdict =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'given-up' }
  | { readonly kind: 'again'; readonly pauseMs: number };

/** `attempts` counts this try. */
export function judgeTry(result: TryResult, attempts: number, random: () => number): Verdict {
  if ('status' in result && result.status >= 200 && result.status < 300) return { kind: 'delivered' };
  const pauseMs = isRefusal(result) ? undefined : pauseAfterMs(attempts, random);
  return pauseMs === undefined ? { kind: 'given-up' } : { kind: 'again', pauseMs };
}

/** 410 Gone: the receiver asks not to be called again. */
const isRefusal = (result: TryResult): boolean => 'status' in result && result.status === 410;

export const describeTry = (result: TryResult): string =>
  'status' in result ? `answer ${result.status}` : `error: ${result.error}`;
