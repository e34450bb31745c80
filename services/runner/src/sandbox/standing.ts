// How one sandbox stands between awake and asleep, and how what happens to it changes that. No effects and no clock: times come
// in, in milliseconds of one that never jumps.

export interface Standing {
  /** `unsure` after a start of the runner, and after a try that failed. */
  readonly frozen: 'yes' | 'no' | 'unsure';
  /** Those who wait until it is awake. */
  readonly openers: number;
  /** Connections to it: while there is one it does not fall asleep. */
  readonly leases: number;
  /** It is being changed or removed: awake until it is kept again. */
  readonly isReleased: boolean;
  /** Somebody wants it to sleep now, whatever runs inside. */
  readonly isSleepAsked: boolean;
  /** The machine is short of memory, or too many are awake: as if it had been idle for long enough. */
  readonly isHurried: boolean;
  /** The last moment at which somebody held a lease; of no meaning while somebody does. */
  readonly usedAtMs: number;
  /** The last moment at which the guest said that something inside wants to be kept alive. */
  readonly heldAtMs: number;
  /** When the guest may be asked again; once it has agreed, when it did. */
  readonly askAtMs: number;
  /** The guest has agreed, and nobody came since. */
  readonly mayFreeze: boolean;
  /** In a row: questions to which the guest gave no answer. */
  readonly silences: number;
  /** In a row: freezes, thaws and looks that failed, and when the next may be tried. */
  readonly failures: number;
  readonly retryAtMs: number;
  /** What others know of it, and since when. */
  readonly told: { readonly atMs: number; readonly isAwake: boolean; readonly isExpired: boolean } | undefined;
}

export type Happening =
  | { readonly is: 'leases'; readonly count: number }
  | { readonly is: 'openers'; readonly count: number }
  | { readonly is: 'released' }
  | { readonly is: 'kept' }
  | { readonly is: 'sleep asked' }
  | { readonly is: 'hurried' }
  /** Somebody wants it awake for a while, without a connection. */
  | { readonly is: 'used' }
  | { readonly is: 'found'; readonly isFrozen: boolean }
  | { readonly is: 'frozen' }
  | { readonly is: 'thawed' }
  | { readonly is: 'failed'; readonly pauseMs: number }
  | { readonly is: 'consented'; readonly askedAtMs: number }
  | { readonly is: 'held' }
  | { readonly is: 'silent' }
  | { readonly is: 'told'; readonly isAwake: boolean; readonly isExpired: boolean };

/** After which the guest is asked again whether something inside still wants to be kept alive. */
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

/** Whoever comes takes back what was agreed about sleep, and so does sleep itself. */
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
      // A look that goes well says nothing of the try that failed before: its pauses go on growing.
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
      // Somebody came while the guest was asked: its word is not about what there is now.
      return isInUse(standing) || standing.usedAtMs > happening.askedAtMs
        ? { ...standing, silences: 0 }
        : { ...standing, mayFreeze: true, silences: 0, askAtMs: nowMs };
    case 'held':
      // Not what somebody asked for meanwhile: that holds whatever runs inside.
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

/** Somebody speaks to it, is about to, or works on it: it stays awake. */
export const isInUse = ({ isReleased, leases, openers }: Standing): boolean => isReleased || leases > 0 || openers > 0;
