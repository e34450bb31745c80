// The window of a query, and the resolution that goes with its length. Pure.
import { MetricsResolution } from '@berth/contract';
import { metricErrors } from './errors.ts';

/** Half-open. */
export interface MetricsWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

interface Edge {
  readonly text: string;
  readonly ms: number;
}

interface AskedWindow {
  readonly startTime: Edge;
  readonly endTime: Edge;
}

const dayMs = 86_400_000;

/** The same instant of the next calendar year. A year from 29 February ends on 1 March. */
function yearAfter(ms: number): number {
  const end = new Date(ms);
  return end.setUTCFullYear(end.getUTCFullYear() + 1);
}

interface Longest {
  readonly words: string;
  /** End of the longest window that begins here. */
  readonly endMs: (fromMs: number) => number;
}

const longest: Readonly<Record<MetricsResolution, Longest>> = {
  hourly: { words: '7 days', endMs: (fromMs) => fromMs + 7 * dayMs },
  daily: { words: '90 days', endMs: (fromMs) => fromMs + 90 * dayMs },
  weekly: { words: 'a year', endMs: yearAfter },
  monthly: { words: 'any time', endMs: () => Number.POSITIVE_INFINITY },
};

const refusal = ({ startTime, endTime }: AskedWindow, fault: string) =>
  metricErrors.invalid_metrics_window({ start: startTime.text, end: endTime.text, fault });

export function windowOf(asked: AskedWindow): MetricsWindow {
  const window = { fromMs: asked.startTime.ms, toMs: asked.endTime.ms };
  if (window.toMs <= window.fromMs) throw refusal(asked, 'does not end after its start');
  return window;
}

/** A window of exactly the longest length gets the next coarser resolution by default, and may ask for the finer. */
export function resolutionOf(asked: AskedWindow, resolution: MetricsResolution | undefined): MetricsResolution {
  const { fromMs, toMs } = windowOf(asked);
  if (resolution === undefined)
    return MetricsResolution.options.find((option) => toMs < longest[option].endMs(fromMs)) ?? 'monthly';
  const { words, endMs } = longest[resolution];
  if (toMs > endMs(fromMs)) throw refusal(asked, `is longer than ${words}, the longest that can be ${resolution}`);
  return resolution;
}

/**
 * The part of a window that can hold usage. Its end is in the past, so that later pages of an answer, which keep that
 * end, are about the same time. Undefined when the window is in the future.
 */
export function pastPart({ fromMs, toMs }: MetricsWindow, untilMs: number): MetricsWindow | undefined {
  const part = { fromMs: Math.max(fromMs, 0), toMs: Math.min(toMs, untilMs) };
  return part.fromMs < part.toMs ? part : undefined;
}
