import type { Choices, RunnerChoices } from '../install/install-record.ts';
import type { Installation } from '../install/installation.ts';

export interface Finding {
  /** The fault, with the value that was seen. */
  readonly what: string;
  /** The exact command where there is one. */
  readonly fix: string;
}

export interface LookedAtMachine extends Pick<Installation, 'places' | 'run' | 'record'> {
  /** Whether Berth runs here: its ports are then its own. */
  readonly isInstalled: boolean;
}

/** Machine with a whole deployment. */
export interface LookedAt extends LookedAtMachine {
  readonly choices: Choices;
}

/** Machine with a runner alone. */
export interface LookedAtRunner extends LookedAtMachine {
  readonly choices: RunnerChoices;
}

export type Moment = 'before' | 'running';

/** One fact about a machine or its deployment. */
export interface Check<Machine extends LookedAtMachine = LookedAt> {
  readonly name: string;
  /** The damage that the check prevents. */
  readonly why: string;
  /** Before an installation, while it runs, or both. */
  readonly when: Moment | 'both';
  /** Checks of causes: when one of them has found something, this check would only repeat it, and is left out. */
  readonly needs?: readonly string[];
  /** Undefined when all is well. An error counts as a finding. */
  look(machine: Machine): Promise<Finding | undefined>;
}

export interface NamedFinding extends Finding {
  readonly name: string;
  /** It should be mended, and everything works meanwhile. */
  readonly isWarning: boolean;
}
