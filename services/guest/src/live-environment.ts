// The variables that new processes inherit: those the sandbox was booted with, plus the extra file, changed by each
// generation that the runner or the host provides. A generation is kept in the state folder, so that a restarted guest
// has it.
import { readFileSync, statSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault, systemCode } from './http/fault.ts';
import { parseExtraVariables, type SortedVariables, sortVariables } from './settable-variables.ts';

const maxExtraBytes = 1_000_000;

export type AppliedEnvironment = { generation: number; applied: number; removed: number; skipped: readonly string[] };

export type LiveEnvironmentOptions = {
  /** The environment itself, changed in place. */
  variables: NodeJS.ProcessEnv;
  stateFolder: string;
  hasAccount: boolean;
  /** Called after each generation, because settings are read from the same variables. */
  changed?: () => void;
};

export class LiveEnvironment {
  /** 0 before the first generation. */
  generation = 0;
  readonly #variables: NodeJS.ProcessEnv;
  readonly #file: string;
  readonly #hasAccount: boolean;
  readonly #changed: () => void;
  /** Values that the names of the current generation had before any generation. */
  readonly #before = new Map<string, string | undefined>();
  #current: ReadonlyMap<string, string> = new Map();
  #applying: Promise<unknown> = Promise.resolve();

  constructor({ variables, stateFolder, hasAccount, changed }: LiveEnvironmentOptions) {
    this.#variables = variables;
    this.#file = join(stateFolder, 'environment.json');
    this.#hasAccount = hasAccount;
    this.#changed = changed ?? (() => undefined);
  }

  /** Called at start, before anything reads the environment. Existing variables win. Returns a warning, if any. */
  addExtra(path: string): string | undefined {
    let bytes: Buffer;
    try {
      const { size } = statSync(path);
      if (size > maxExtraBytes) {
        return `extra variables in ${path} have ${size} bytes, at most ${maxExtraBytes} are read; none is set`;
      }
      bytes = readFileSync(path);
    } catch (error) {
      return `extra variables in ${path} cannot be read (${systemCode(error)}); none is set`;
    }
    const { accepted, skipped } = sortVariables(parseExtraVariables(bytes), this.#hasAccount);
    for (const [name, value] of accepted) this.#variables[name] ??= value;
    return skipped.length === 0
      ? undefined
      : `extra variables in ${path} are invalid in part; these cannot be set: ${skipped.join(', ')}`;
  }

  /** Called at start: restores the generation that an earlier guest received. Returns a warning, if any. */
  restore(): string | undefined {
    try {
      const kept: unknown = JSON.parse(readFileSync(this.#file, 'utf8'));
      if (!isStoredGeneration(kept))
        return `stored environment ${this.#file} is not what a guest wrote; no generation is restored until one is sent`;
      this.#set(kept.generation, sortVariables(Object.entries(kept.environment), this.#hasAccount));
      return undefined;
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return undefined;
      return `stored environment ${this.#file} cannot be read; no generation is restored until one is sent`;
    }
  }

  /**
   * Applies generations one after another. With `replace`, names that only the former generation set get their earlier
   * values back.
   */
  apply(
    generation: number,
    environment: Readonly<Record<string, unknown>>,
    replace = true,
  ): Promise<AppliedEnvironment> {
    const turn = this.#applying.then(() => this.#apply(generation, environment, replace));
    this.#applying = turn.catch(() => undefined);
    return turn;
  }

  async #apply(
    generation: number,
    environment: Readonly<Record<string, unknown>>,
    replace: boolean,
  ): Promise<AppliedEnvironment> {
    if (generation < this.generation) {
      throw new Fault(
        409,
        `Generation ${generation} is older than ${this.generation}, which is set. Send a newer one.`,
      );
    }
    const sorted = sortVariables(Object.entries(environment), this.#hasAccount);
    const accepted = replace ? sorted.accepted : new Map([...this.#current, ...sorted.accepted]);
    // Stored before it takes effect: otherwise the next guest could lack a generation that was in force.
    const waiting = `${this.#file}.new`;
    await writeFile(waiting, JSON.stringify({ generation, environment: Object.fromEntries(accepted) }), {
      mode: 0o600,
    });
    await rename(waiting, this.#file);
    const removed = this.#set(generation, { ...sorted, accepted });
    this.#changed();
    return { generation, applied: sorted.accepted.size, removed, skipped: sorted.skipped };
  }

  #set(generation: number, { accepted }: SortedVariables): number {
    let removed = 0;
    for (const name of this.#current.keys()) {
      if (accepted.has(name)) continue;
      const before = this.#before.get(name);
      if (before === undefined) delete this.#variables[name];
      else this.#variables[name] = before;
      this.#before.delete(name);
      removed += 1;
    }
    for (const [name, value] of accepted) {
      if (!this.#before.has(name)) this.#before.set(name, this.#variables[name]);
      this.#variables[name] = value;
    }
    this.#current = accepted;
    this.generation = generation;
    return removed;
  }
}

function isStoredGeneration(value: unknown): value is { generation: number; environment: Record<string, unknown> } {
  if (typeof value !== 'object' || value === null) return false;
  if (!('generation' in value) || typeof value.generation !== 'number') return false;
  return 'environment' in value && typeof value.environment === 'object' && value.environment !== null;
}
