import { readFileSync } from 'node:fs';
import { machine } from './node/machine.ts';

/**
 * Whether something is short: from when it falls below one mark until it is above the other. Without the distance between them a
 * machine would be called pressed and not pressed in turn, and work would swing to and fro.
 */
export const isShort = (was: boolean, left: number, { below, until }: { below: number; until: number }): boolean =>
  was ? left < until : left < below;

export interface MemoryState {
  readonly freeMb: number;
  /** Of the last ten seconds, those in which everything that wanted to run waited for memory. */
  readonly stalledPercent: number;
}

/** A machine that waits for memory is short of it sooner. With much of it free, one instance may only wait at its own limit. */
const stalled = { percent: 10, reserves: 4 };

export function isMemoryShort(was: boolean, { freeMb, stalledPercent }: MemoryState, reserveMb: number): boolean {
  const reserves = stalledPercent >= stalled.percent ? stalled.reserves : 1;
  return isShort(was, freeMb, { below: reserves * reserveMb, until: 2 * reserves * reserveMb });
}

/** Of real memory, whatever was promised. */
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

/** As the kernel writes it, `full avg10=0.31 avg60=…`. */
export const stalledPercentIn = (text: string): number => Number(/^full avg10=([\d.]+)/m.exec(text)?.[1] ?? 0);

/** Empty where the kernel does not count it. */
function pressureText(): string {
  try {
    return readFileSync('/proc/pressure/memory', 'utf8');
  } catch {
    return '';
  }
}
