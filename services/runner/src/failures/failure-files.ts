// Failed instances, on disk. Without it a failed instance would be tried again at every upgrade of the runner.
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { FailureCode } from '@berth/contract/node';
import { z } from 'zod';
import { writeFileAtomically } from '../state/write-file-atomically.ts';
import type { Failure } from './failure.ts';

const Entry = z.object({ code: FailureCode, message: z.string() });
const suffix = '.json';

export class FailureFiles {
  readonly #folder: string;

  constructor(stateFolder: string) {
    this.#folder = join(stateFolder, 'failures');
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
  }

  find(instance: string): Failure | undefined {
    try {
      return Entry.parse(JSON.parse(readFileSync(this.#file(instance), 'utf8')));
    } catch {
      // The file is missing or unreadable: the instance gets another try.
      return undefined;
    }
  }

  save(instance: string, failure: Failure): Promise<void> {
    return writeFileAtomically(this.#file(instance), JSON.stringify(failure));
  }

  forget(instance: string): void {
    rmSync(this.#file(instance), { force: true });
  }

  instances(): string[] {
    return readdirSync(this.#folder).map((name) => name.replace(suffix, ''));
  }

  #file(instance: string): string {
    return join(this.#folder, `${instance}${suffix}`);
  }
}
