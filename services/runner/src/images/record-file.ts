import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface RecordFile {
  /** Saves the contents as they are when the write begins. */
  save(): Promise<void>;
}

/** Writes sequentially and atomically: the file is never half written, even if the runner is killed. */
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

/** Text of the file, or an empty record if it does not exist yet. Creates its folder. */
export async function readRecord(file: string): Promise<string> {
  await mkdir(dirname(file), { recursive: true });
  return readFile(file, 'utf8').catch(() => '{}');
}
