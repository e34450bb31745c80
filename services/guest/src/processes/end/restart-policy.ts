// Decides whether another attempt follows an ended one, and the final status if not.
import type { ProcessOutcome, ProcessState } from '../state/process-state.ts';
import { killSignal } from './signals.ts';

export const restartDelayMs = 1000;

export type AttemptEnd = { code: number; signal: number };

type RestartState = Pick<ProcessState, 'desired' | 'signals' | 'restartOnFailure' | 'maxRestarts' | 'restartCount'>;

/** An end that a caller asked for is never a failure, regardless of the exit code. */
export function shouldRestart(state: RestartState, end: AttemptEnd): boolean {
  if (end.code === 0 || finalStatus(state, end) !== 'failed' || !state.restartOnFailure) return false;
  return state.maxRestarts < 0 || state.restartCount < state.maxRestarts;
}

export function finalStatus(
  { desired, signals }: Pick<RestartState, 'desired' | 'signals'>,
  end: AttemptEnd,
): ProcessOutcome['status'] {
  if (desired !== 'run') return desired;
  if (end.code === 0) return 'completed';
  if (end.signal !== 0 && signals.includes(end.signal)) return end.signal === killSignal ? 'killed' : 'stopped';
  return 'failed';
}

export function restartText(state: RestartState, end: AttemptEnd): string {
  const limit = state.maxRestarts < 0 ? 'unlimited' : state.maxRestarts;
  return `[Process failed with exit code ${end.code}. Attempting restart ${state.restartCount + 1}/${limit} in ${restartDelayMs / 1000} s]`;
}
