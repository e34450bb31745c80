import { readFileSync } from 'node:fs';
import { machine } from './machine.ts';

/**
 * Whether a resource is short, with hysteresis: from when it falls below `below` until it reaches `until`. With a
 * single threshold a machine would alternate between pressed and not pressed, and work would swing back and forth.
 */
export const isShort = (was: boolean, left: number, { below, until }: { below: number; until: number }): boolean =>
  was ? left < until : left < below;

export interface MemoryState {
  readonly freeMb: number;
  /** Percentage of the last ten seconds in which everything that wanted to run waited for memory. */
  readonly stalledPercent: number;
}

/**
 * While the machine waits for memory, the thresholds are this many times higher. Waiting alone is not enough: with
 * much memory free, it may be one instance that waits at its own limit.
 */
const stalled = { percent: 10, reserves: 4 };

export function isMemoryShort(was: boolean, { freeMb, stalledPercent }: MemoryState, reserveMb: number): boolean {
  const reserves = stalledPercent >= stalled.percent ? stalled.reserves : 1;
  return isShort(was, freeMb, { below: reserves * reserveMb, until: 2 * reserves * reserveMb });
}

/** Pressure on the memory that is really in use, regardless of how much has been promised to instances. */
export class MemoryPressure {
  readonly #reserveMb: number;
  #isPressed = false;

  constructor(reserveMb: number) {
    this.#reserveMb = reserveMb;
  }

  get isPressed(): boolean {
    this.#isPressed = isMemoryShort(this.#isPressed, memoryState(), this.#reserveMb);
    return this.#isPressed;
  }
}

const memoryState = (): MemoryState => ({
  freeMb: machine.freeMemoryMb(),
  stalledPercent: stalledPercentIn(pressureText()),
});

/** Parses the kernel's format, `full avg10=0.31 avg60=…`. */
export const stalledPercentIn = (text: string): number => Number(/^full avg10=([\d.]+)/m.exec(text)?.[1] ?? 0);

/** Empty if the kernel does not count it. */
function pressureText(): string {
  try {
    return readFileSync('/proc/pressure/memory', 'utf8');
  } catch {
    return '';
  }
}
