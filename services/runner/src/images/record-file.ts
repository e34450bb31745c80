import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface RecordFile {
  /** Of its contents at the time it is written. */
  save(): Promise<void>;
}

/** Writes one after the other, and whole or not at all: the file is never half written, whenever the runner ends. */
export function recordFile(file: string, contents: () => unknown): RecordFile {
  let written: Promise<void> = Promise.resolve();
  return {
    save() {
      const write = async () => {
        await writeFile(`${file}.new`, JSON.stringify(contents(), null, 2));
        await rename(`${file}.new`, file);
      };
      const saved = written.then(write);
      written = saved.catch(() => {});
      return saved;
    },
  };
}

/** Its text, and an empty record when there is none yet. Makes its folder. */
export async function readRecord(file: string): Promise<string> {
  await mkdir(dirname(file), { recursive: true });
  return readFile(file, 'utf8').catch(() => '{}');
}
