// Sleep state of one sandbox and its transitions. Pure: times are arguments, in milliseconds of a monotonic clock.

export interface Standing {
  /** `unsure` after a start of the runner and after a failed step. */
  readonly frozen: 'yes' | 'no' | 'unsure';
  /** Callers that wait until the sandbox is awake. */
  readonly openers: number;
  /** Open leases; a sandbox with a lease does not fall asleep. */
  readonly leases: number;
  /** The sandbox is being changed or removed: it stays awake until it is kept again. */
  readonly isReleased: boolean;
  /** A caller wants the sandbox to sleep now, regardless of what runs inside. */
  readonly isSleepAsked: boolean;
  /** Memory is short: the idle timeout is treated as over. */
  readonly isHurried: boolean;
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
  readonly told: { readonly atMs: number; readonly isAwake: boolean; readonly isExpired: boolean } | undefined;
}

export type Happening =
  | { readonly is: 'leases'; readonly count: number }
  | { readonly is: 'openers'; readonly count: number }
  | { readonly is: 'released' }
  | { readonly is: 'kept' }
  | { readonly is: 'sleep asked' }
  | { readonly is: 'hurried' }
  /** A caller wants the sandbox awake for a while, without a connection. */
  | { readonly is: 'used' }
  | { readonly is: 'found'; readonly isFrozen: boolean }
  | { readonly is: 'frozen' }
  | { readonly is: 'thawed' }
  | { readonly is: 'failed'; readonly pauseMs: number }
  | { readonly is: 'consented'; readonly askedAtMs: number }
  | { readonly is: 'held' }
  | { readonly is: 'silent' }
  | { readonly is: 'told'; readonly isAwake: boolean; readonly isExpired: boolean };

/** Pause before the guest is asked again whether something inside still wants to be kept alive. */
export const heldPauseMs = 5_000;
export const silentPauseMs = 1_000;

export const newStanding = (usedAtMs: number, leases: number): Standing => ({
  frozen: 'unsure',
  openers: 0,
  leases,
  isReleased: false,
  isSleepAsked: false,
  isHurried: false,
  usedAtMs,
  heldAtMs: Number.NEGATIVE_INFINITY,
  askAtMs: Number.NEGATIVE_INFINITY,
  mayFreeze: false,
  silences: 0,
  failures: 0,
  retryAtMs: Number.NEGATIVE_INFINITY,
  told: undefined,
});

/** Any new connection, failure or completed freeze clears pending sleep requests and the guest's consent. */
const nothingAgreed = { mayFreeze: false, isSleepAsked: false, isHurried: false, silences: 0 } as const;
const wentWell = { failures: 0, retryAtMs: Number.NEGATIVE_INFINITY } as const;

export function after(standing: Standing, happening: Happening, nowMs: number): Standing {
  switch (happening.is) {
    case 'leases': {
      const wasUsed = standing.leases > 0 || happening.count > 0;
      return {
        ...standing,
        leases: happening.count,
        ...(wasUsed ? { ...nothingAgreed, usedAtMs: nowMs } : {}),
      };
    }
    case 'openers':
      return { ...standing, openers: happening.count, ...(happening.count > 0 ? nothingAgreed : {}) };
    case 'released':
      return { ...standing, ...nothingAgreed, isReleased: true };
    case 'kept':
      return { ...standing, isReleased: false };
    case 'sleep asked':
      return { ...standing, isSleepAsked: true };
    case 'hurried':
      return { ...standing, isHurried: true };
    case 'used':
      return { ...standing, ...nothingAgreed, usedAtMs: nowMs };
    case 'found':
      // A successful check does not reset the failures of earlier steps: their backoff keeps growing.
      return { ...standing, frozen: happening.isFrozen ? 'yes' : 'no' };
    case 'frozen':
      return { ...standing, ...wentWell, ...nothingAgreed, frozen: 'yes' };
    case 'thawed':
      return { ...standing, ...wentWell, frozen: 'no', askAtMs: Number.NEGATIVE_INFINITY };
    case 'failed':
      return {
        ...standing,
        frozen: 'unsure',
        ...nothingAgreed,
        failures: standing.failures + 1,
        retryAtMs: nowMs + happening.pauseMs,
      };
    case 'consented':
      // The sandbox was used while the guest was asked, so the consent is outdated.
      return isInUse(standing) || standing.usedAtMs > happening.askedAtMs
        ? { ...standing, silences: 0 }
        : { ...standing, mayFreeze: true, silences: 0, askAtMs: nowMs };
    case 'held':
      // `isSleepAsked` stays: an explicit request ignores keep-alive holds.
      return {
        ...standing,
        mayFreeze: false,
        isHurried: false,
        silences: 0,
        heldAtMs: nowMs,
        askAtMs: nowMs + heldPauseMs,
      };
    case 'silent':
      return { ...standing, silences: standing.silences + 1, askAtMs: nowMs + silentPauseMs };
    case 'told':
      return { ...standing, told: { atMs: nowMs, isAwake: happening.isAwake, isExpired: happening.isExpired } };
  }
}

/** A connection is open or being opened, or the sandbox is being changed: it stays awake. */
export const isInUse = ({ isReleased, leases, openers }: Standing): boolean => isReleased || leases > 0 || openers > 0;
