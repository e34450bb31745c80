// When each sandbox was last used, on disk: that nobody has used one for a week outlives many starts of the runner. In time of day,
// since it has to outlive the machine's start too.
import { mkdirSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface LastUse {
  readonly usedMsAgo: number;
  /** Noted when it fell asleep: nobody has used it since. */
  readonly wasAsleep: boolean;
}

export class LastUseBook {
  readonly #folder: string;
  /** One after the other, so that the last word is the last. */
  #writing: Promise<void> = Promise.resolve();

  constructor(stateFolder: string) {
    this.#folder = join(stateFolder, 'sandbox-uses');
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
  }

  /** Undefined when it is not known. Half a line after a crash is as good as none. */
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
    // Not before what is still being written of it.
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
