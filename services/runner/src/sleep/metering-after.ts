// How the state of a sandbox changes its metering. Pure.
import type { SleepEvent, SleepState } from './sleep-state.ts';

/**
 * - `begin`: the sandbox was thawed.
 * - `continue`: it is awake, and as far as this process knows it was not frozen since it was last metered.
 * - `end`: it sleeps.
 * - `keep`: it is being frozen, or its state is not known.
 */
export type Metering = 'begin' | 'continue' | 'end' | 'keep';

export function meteringAfter(event: SleepEvent['is'], frozen: SleepState['frozen'], isFreezing: boolean): Metering {
  if (isFreezing || frozen === 'unsure') return 'keep';
  if (frozen === 'yes') return 'end';
  return event === 'thawed' ? 'begin' : 'continue';
}
