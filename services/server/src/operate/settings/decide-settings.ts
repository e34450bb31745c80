// Whether the settings file is written. The operator may have edited it: then it is never overwritten. Pure.

export interface SettingsState {
  /** Text of the file; undefined when there is none. */
  readonly found: string | undefined;
  /** Text that the choices ask for; undefined when it cannot be made from the file. */
  readonly wanted: string | undefined;
  /** Hash of the text that was written last. */
  readonly writtenHash: string | undefined;
  readonly hasNewChoices: boolean;
}

export type SettingsDecision = 'write' | 'keep' | 'propose';

export function decideSettings(state: SettingsState, hash: (text: string) => string): SettingsDecision {
  const { found, wanted, writtenHash, hasNewChoices } = state;
  if (found === undefined) return 'write';
  if (found === wanted) return 'keep';
  const isOurs = hash(found) === writtenHash;
  if (isOurs && wanted !== undefined) return 'write';
  return hasNewChoices ? 'propose' : 'keep';
}
