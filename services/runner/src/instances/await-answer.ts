import type { Notifier } from '@berth/concurrency';
import { probePauseMs } from './is-listening.ts';

export interface AwaitedAnswer {
  /** True if the instance answers now. */
  readonly ask: () => Promise<boolean>;
  readonly timeoutMs: number;
  /** Notified when the engine reports an event of the container. */
  readonly notifier: Notifier;
  readonly isRunning: () => Promise<boolean>;
  readonly signal: AbortSignal;
}

export type AnswerOutcome = 'yes' | 'ended' | 'too late' | 'given up';

/** Events get lost with the engine's connection, so the container is also inspected at this interval. */
const lookMs = 2_000;

export async function awaitAnswer(awaited: AwaitedAnswer): Promise<AnswerOutcome> {
  const { ask, timeoutMs, notifier, isRunning, signal } = awaited;
  const startedAt = performance.now();
  let lookedAt = startedAt;
  for (let tries = 0; ; tries += 1) {
    if (signal.aborted) return 'given up';
    if (await ask()) return 'yes';
    if (performance.now() - startedAt > timeoutMs) return 'too late';
    const isNotified = await notifier.wait(probePauseMs(tries), signal);
    if (!isNotified && performance.now() - lookedAt < lookMs) continue;
    lookedAt = performance.now();
    if (!(await isRunning())) return 'ended';
  }
}
