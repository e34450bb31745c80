import { machine } from './node/machine.ts';

/**
 * Whether something is short: from when it falls below one mark until it is above the other. Without the distance between them a
 * machine would be called pressed and not pressed in turn, and work would swing to and fro.
 */
export const isShort = (was: boolean, left: number, { below, until }: { below: number; until: number }): boolean =>
  was ? left < until : left < below;

/** Of real memory, whatever was promised. */
export class MemoryPressure {
  readonly #reserveMb: number;
  #isPressed = false;

  constructor(reserveMb: number) {
    this.#reserveMb = reserveMb;
  }

  get isPressed(): boolean {
    const marks = { below: this.#reserveMb, until: 2 * this.#reserveMb };
    this.#isPressed = isShort(this.#isPressed, machine.freeMemoryMb(), marks);
    return this.#isPressed;
  }
}
