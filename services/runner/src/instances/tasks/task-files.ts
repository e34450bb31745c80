// One file per task, on disk: it exists from before the container is created until nothing of the task is left. Without
// it, a task whose container is gone would be run a second time.
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writeFileAtomically } from '../../state/write-file-atomically.ts';
import { TaskEnd } from './task-end.ts';

const TaskFile = z.object({
  /** Time between SIGTERM and SIGKILL, needed to remove a task that is no longer wanted. */
  graceSeconds: z.number().nonnegative(),
  /** Absent while the exit code in the engine is the result. */
  end: TaskEnd.optional(),
});
export type TaskFile = z.infer<typeof TaskFile>;

const suffix = '.json';
const draftSuffix = `${suffix}.new`;
/** For a file that cannot be read. It counts all the same: its task may have run. */
const unreadable: TaskFile = { graceSeconds: 10 };

export class TaskFiles {
  readonly #folder: string;

  constructor(stateFolder: string) {
    this.#folder = join(stateFolder, 'tasks');
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    // A killed process leaves drafts of files that it was about to write.
    for (const name of readdirSync(this.#folder)) {
      if (name.endsWith(draftSuffix)) rmSync(join(this.#folder, name), { force: true });
    }
  }

  find(instance: string): TaskFile | undefined {
    try {
      return TaskFile.parse(JSON.parse(readFileSync(this.#file(instance), 'utf8')));
    } catch (error) {
      return isMissing(error) ? undefined : unreadable;
    }
  }

  /** Calls for one task must not overlap. */
  save(instance: string, file: TaskFile): Promise<void> {
    return writeFileAtomically(this.#file(instance), JSON.stringify(file));
  }

  forget(instance: string): void {
    for (const end of [suffix, draftSuffix]) rmSync(join(this.#folder, `${instance}${end}`), { force: true });
  }

  instances(): string[] {
    return readdirSync(this.#folder)
      .filter((name) => name.endsWith(suffix))
      .map((name) => name.slice(0, -suffix.length));
  }

  #file(instance: string): string {
    return join(this.#folder, `${instance}${suffix}`);
  }
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';
