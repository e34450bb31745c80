// Random usage of several instances, and what an account is billed for it.

const hour = 3_600_000;
/** 7 × 10⁻⁶ USD for a GB-second: 7 × 10⁻¹² USD for 10⁻⁶ of it. */
const picoOfMicro = 7n;

export interface Interval {
  readonly instance: string;
  readonly number: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly memoryMb: number;
}

/** Usage in 10⁻⁶ GB-seconds, and cost in 10⁻¹² USD. */
export interface Billed {
  readonly micro: bigint;
  readonly pico: bigint;
}

/** What one instance is billed in one hour. */
interface BilledHour extends Billed {
  readonly instance: string;
  readonly hourMs: number;
}

export class RandomUsage {
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  between(from: number, to: number): number {
    return Math.floor(from + this.#random() * (to - from));
  }

  /** They follow each other with gaps; some cross full hours. */
  intervals(instance: string, { fromMs: base, toMs }: { fromMs: number; toMs: number }, count: number): Interval[] {
    const stepMs = Math.floor((toMs - base) / count);
    return Array.from({ length: count }, (_, number) => {
      const fromMs = base + number * stepMs + this.between(0, stepMs / 4);
      const lengthMs = this.between(1, stepMs / 2);
      return { instance, number, fromMs, toMs: fromMs + lengthMs, memoryMb: this.between(1, 4_096) };
    });
  }

  /** States in which intervals are sent, in any order: shorter ones before their end, and some of them twice. */
  states(intervals: readonly Interval[]): Interval[] {
    return intervals
      .flatMap((interval) => {
        const shorter = { ...interval, toMs: this.between(interval.fromMs, interval.toMs) };
        return this.#random() < 0.5 ? [interval, shorter] : [interval, interval];
      })
      .map((state) => ({ state, at: this.#random() }))
      .toSorted((left, right) => left.at - right.at)
      .map(({ state }) => state);
  }
}

/** Usage is rounded once for each hour of an instance. */
export function billedHours(intervals: readonly Interval[]): BilledHour[] {
  const kibMs = new Map<string, bigint>();
  for (const { instance, fromMs, toMs, memoryMb } of intervals)
    for (let at = Math.floor(fromMs / hour) * hour; at < toMs; at += hour) {
      const ms = Math.min(toMs, at + hour) - Math.max(fromMs, at);
      const key = `${instance} ${at}`;
      kibMs.set(key, (kibMs.get(key) ?? 0n) + BigInt(ms) * BigInt(memoryMb) * 1_024n);
    }
  return [...kibMs].map(([key, used]) => {
    const [instance = '', at] = key.split(' ');
    const micro = (used * 1_000n + 524_288n) / 1_048_576n;
    return { instance, hourMs: Number(at), micro, pico: micro * picoOfMicro };
  });
}

export function sumsBy(hours: readonly BilledHour[], keyOf: (hour: BilledHour) => string): Map<string, Billed> {
  const sums = new Map<string, Billed>();
  for (const each of hours) {
    const { micro, pico } = sums.get(keyOf(each)) ?? { micro: 0n, pico: 0n };
    sums.set(keyOf(each), { micro: micro + each.micro, pico: pico + each.pico });
  }
  return sums;
}
