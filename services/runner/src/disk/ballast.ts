// Reserved disk space that is freed when the disk is full: an engine that cannot write a single file cannot remove any
// container either.
import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const fileName = 'room';
const sizeMb = 64;
/** Inodes can run out too: each of these files holds one. */
const files = 64;

export class Ballast {
  readonly #folder: string;
  /** Unknown at first: an earlier run may have left a ballast. */
  #isReserved: boolean | undefined;

  /** `folder` must be on the file system that the engine writes to. */
  constructor(folder: string) {
    this.#folder = join(folder, 'berth-ballast');
  }

  async reserve(): Promise<void> {
    if (this.#isReserved) return;
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    for (let number = 1; number <= files; number += 1) await writeFile(join(this.#folder, String(number)), '');
    await run('fallocate', ['--length', `${sizeMb}MiB`, join(this.#folder, fileName)]);
    this.#isReserved = true;
  }

  async release(): Promise<void> {
    if (this.#isReserved === false) return;
    await rm(this.#folder, { recursive: true, force: true });
    this.#isReserved = false;
  }
}
