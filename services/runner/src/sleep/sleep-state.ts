// Sleep state of one sandbox and its transitions. Pure: times are arguments, in milliseconds of a monotonic clock.

export interface SleepState {
  /** `unsure` after a start of the runner and after a failed step. */
  readonly frozen: 'yes' | 'no' | 'unsure';
  /** Callers that wait until the sandbox is awake. */
  readonly openers: number;
  /** Open leases; a sandbox with a lease does not fall asleep. */
  readonly leases: number;
  /** The sandbox is being changed or removed: it stays awake until it is managed again. */
  readonly isReleased: boolean;
  /** A caller wants the sandbox to sleep now, regardless of what runs inside. */
  readonly isSleepAsked: boolean;
  /** Memory is short: the idle timeout is treated as over. */
  readonly ignoresIdleTime: boolean;
  /** Last moment with a lease; meaningless while a lease is open. */
  readonly usedAtMs: number;
  /** Last moment at which the guest reported something inside that wants to be kept alive. */
  readonly heldAtMs: number;
  /** Earliest time of the next question to the guest; after a consent, the time of that consent. */
  readonly askAtMs: number;
  /** The guest has consented to sleep, and the sandbox is unused since. */
  readonly mayFreeze: boolean;
  /** Consecutive questions that the guest did not answer. */
  readonly silences: number;
  /** Consecutive failed freezes, thaws and checks; `retryAtMs` is the earliest time of the next try. */
  readonly failures: number;
  readonly retryAtMs: number;
  /** Last reported state, and when it was reported. */
  readonly reported: { readonly atMs: number; readonly isAwake: boolean; readonly isExpired: boolean } | undefined;
}

export type SleepEvent =
  | { readonly is: 'leases'; readonly count: number }
  | { readonly is: 'openers'; readonly count: number }
  | { readonly is: 'released' }
  | { readonly is: 'managed' }
  | { readonly is: 'sleep asked' }
  | { readonly is: 'memory needed' }
  /** A caller wants the sandbox awake for a while, without a connection. */
  | { readonly is: 'used' }
  | { readonly is: 'found'; readonly isFrozen: boolean }
  | { readonly is: 'frozen' }
  | { readonly is: 'thawed' }
  | { readonly is: 'failed'; readonly pauseMs: number }
  | { readonly is: 'consented'; readonly askedAtMs: number }
  | { readonly is: 'held' }
  | { readonly is: 'silent' }
  | { readonly is: 'reported'; readonly isAwake: boolean; readonly isExpired: boolean };

/** Pause before the guest is asked again whether something inside still wants to be kept alive. */
export const heldPauseMs = 5_000;
export const silentPauseMs = 1_000;

export const newSleepState = (usedAtMs: number, leases: number): SleepState => ({
  frozen: 'unsure',
  openers: 0,
  leases,
  isReleased: false,
  isSleepAsked: false,
  ignoresIdleTime: false,
  usedAtMs,
  heldAtMs: Number.NEGATIVE_INFINITY,
  askAtMs: Number.NEGATIVE_INFINITY,
  mayFreeze: false,
  silences: 0,
  failures: 0,
  retryAtMs: Number.NEGATIVE_INFINITY,
  reported: undefined,
});

/** Any new connection, failure or completed freeze clears pending sleep requests and the guest's consent. */
const noConsent = {
  mayFreeze: false,
  isSleepAsked: false,
  ignoresIdleTime: false,
  silences: 0,
} as const satisfies Partial<SleepState>;
const noFailures = { failures: 0, retryAtMs: Number.NEGATIVE_INFINITY } as const satisfies Partial<SleepState>;

export function nextState(state: SleepState, event: SleepEvent, nowMs: number): SleepState {
  switch (event.is) {
    case 'leases': {
      const wasUsed = state.leases > 0 || event.count > 0;
      return {
        ...state,
        leases: event.count,
        ...(wasUsed ? { ...noConsent, usedAtMs: nowMs } : {}),
      };
    }
    case 'openers':
      return { ...state, openers: event.count, ...(event.count > 0 ? noConsent : {}) };
    case 'released':
      return { ...state, ...noConsent, isReleased: true };
    case 'managed':
      return { ...state, isReleased: false };
    case 'sleep asked':
      return { ...state, isSleepAsked: true };
    case 'memory needed':
      return { ...state, ignoresIdleTime: true };
    case 'used':
      return { ...state, ...noConsent, usedAtMs: nowMs };
    case 'found':
      // A successful check does not reset the failures of earlier steps: their backoff keeps growing.
      return { ...state, frozen: event.isFrozen ? 'yes' : 'no' };
    case 'frozen':
      return { ...state, ...noFailures, ...noConsent, frozen: 'yes' };
    case 'thawed':
      return { ...state, ...noFailures, frozen: 'no', askAtMs: Number.NEGATIVE_INFINITY };
    case 'failed':
      return {
        ...state,
        frozen: 'unsure',
        ...noConsent,
        failures: state.failures + 1,
        retryAtMs: nowMs + event.pauseMs,
      };
    case 'consented':
      // The sandbox was used while the guest was asked, so the consent is outdated.
      return isInUse(state) || state.usedAtMs > event.askedAtMs
        ? { ...state, silences: 0 }
        : { ...state, mayFreeze: true, silences: 0, askAtMs: nowMs };
    case 'held':
      // `isSleepAsked` stays: an explicit request ignores keep-alive holds.
      return {
        ...state,
        mayFreeze: false,
        ignoresIdleTime: false,
        silences: 0,
        heldAtMs: nowMs,
        askAtMs: nowMs + heldPauseMs,
      };
    case 'silent':
      return { ...state, silences: state.silences + 1, askAtMs: nowMs + silentPauseMs };
    case 'reported':
      return { ...state, reported: { atMs: nowMs, isAwake: event.isAwake, isExpired: event.isExpired } };
  }
}

/** A connection is open or being opened, or the sandbox is being changed: it stays awake. */
export const isInUse = ({ isReleased, leases, openers }: SleepState): boolean =>
  isReleased || leases > 0 || openers > 0;
