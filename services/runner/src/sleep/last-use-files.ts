// Last use of each sandbox, on disk: an idle lifetime of a week outlives many starts of the runner. Stored as
// wall-clock time, because it also has to outlive a reboot.
import { mkdirSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface LastUse {
  readonly usedMsAgo: number;
  /** Noted when the sandbox fell asleep, so it is unused since. */
  readonly wasAsleep: boolean;
}

export class LastUseFiles {
  readonly #folder: string;
  /** Writes are chained, so that the last one wins. */
  #writing: Promise<void> = Promise.resolve();

  constructor(stateFolder: string) {
    this.#folder = join(stateFolder, 'sandbox-uses');
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
  }

  /** Undefined when unknown. An incomplete line after a crash counts as unknown. */
  find(instance: string): LastUse | undefined {
    try {
      const [, usedAt, word] = /^(\d+) (asleep|awake)\n$/.exec(readFileSync(this.#file(instance), 'utf8')) ?? [];
      if (usedAt === undefined) return undefined;
      return { usedMsAgo: Math.max(0, Date.now() - Number(usedAt)), wasAsleep: word === 'asleep' };
    } catch {
      return undefined;
    }
  }

  save(instance: string, { usedMsAgo, wasAsleep }: LastUse): Promise<void> {
    const line = `${Math.round(Date.now() - usedMsAgo)} ${wasAsleep ? 'asleep' : 'awake'}\n`;
    const written = this.#writing.then(() => writeFile(this.#file(instance), line, { mode: 0o600 }));
    this.#writing = written.catch(() => {});
    return written;
  }

  async forget(instance: string): Promise<void> {
    // Wait for pending writes, which would recreate the file.
    await this.#writing;
    await rm(this.#file(instance), { force: true });
  }

  async close(): Promise<void> {
    await this.#writing;
  }

  #file(instance: string): string {
    return join(this.#folder, instance);
  }
}
