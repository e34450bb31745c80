// Carries out one step of a sandbox: checks, freezes or thaws it, or asks its guest. Returns what came of it.
import type { Logger } from '@berth/telemetry';
import type { Freezer } from './freezer.ts';
import type { SleepStep } from './next-step.ts';
import type { RunningSandbox } from './running-sandbox.ts';
import type { SleepEvent } from './sleep-state.ts';
import type { Admitted } from './wake-admission.ts';

export interface StepDependencies {
  readonly freezer: Freezer;
  readonly guest: {
    /** Asks the guest whether the sandbox may sleep. */
    quiesce(sandbox: RunningSandbox): Promise<{ readonly ready: boolean }>;
  };
  /** Waits until the machine has enough free memory, then thaws; `busy` when there is none. */
  readonly wake: (thaw: () => Promise<void>) => Promise<Admitted>;
  readonly onWake: (outcome: 'woken' | 'busy' | 'failed', seconds: number) => void;
  readonly logger: Logger;
}

export type SleepWork = Exclude<SleepStep['do'], 'report' | 'rest'>;

export interface SleepWorkOptions {
  readonly sandbox: RunningSandbox;
  /** Before a change or removal the sandbox is woken even without free memory. */
  readonly isReleased: boolean;
  /** The wake is admitted and the thaw begins. */
  readonly onThawing: () => void;
}

/** `busy`: the machine has no memory to wake the sandbox. */
export type SleepOutcome = SleepEvent | Extract<Admitted, { is: 'busy' }>;

export async function carryOutStep(
  work: SleepWork,
  options: SleepWorkOptions,
  deps: StepDependencies,
): Promise<SleepOutcome> {
  const { sandbox } = options;
  if (work === 'thaw') return thaw(options, deps);
  if (work === 'look') return { is: 'found', isFrozen: await deps.freezer.isFrozen(sandbox) };
  if (work === 'ask') return ask(sandbox, deps);
  await deps.freezer.freeze(sandbox);
  return { is: 'frozen' };
}

async function thaw(
  { sandbox, isReleased, onThawing }: SleepWorkOptions,
  { wake, freezer, onWake }: StepDependencies,
): Promise<SleepOutcome> {
  const startedAt = performance.now();
  const count = (outcome: Parameters<typeof onWake>[0]): void =>
    onWake(outcome, (performance.now() - startedAt) / 1_000);
  const thawNow = (): Promise<void> => {
    onThawing();
    return freezer.thaw(sandbox);
  };
  try {
    const woken: Admitted = isReleased ? await thawNow().then(admitted) : await wake(thawNow);
    if (woken.is === 'busy') {
      count('busy');
      return woken;
    }
  } catch (error) {
    count('failed');
    throw error;
  }
  count('woken');
  return { is: 'thawed' };
}

const admitted = (): Admitted => ({ is: 'admitted' });

async function ask(sandbox: RunningSandbox, { guest, logger }: StepDependencies): Promise<SleepEvent> {
  const askedAtMs = performance.now();
  try {
    const { ready } = await guest.quiesce(sandbox);
    return ready ? { is: 'consented', askedAtMs } : { is: 'held' };
  } catch (err) {
    logger.debug({ err, instance: sandbox.instance }, 'guest did not answer whether it may sleep; asking again');
    return { is: 'silent' };
  }
}
