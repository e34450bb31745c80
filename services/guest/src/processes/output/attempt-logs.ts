// The parts and markers in the state of a process: every attempt adds a part, and the guest adds markers.
import type { LogEnds } from '../../supervisor/supervisor.ts';
import type { ProcessFolders } from '../state/process-folders.ts';
import type { ProcessState } from '../state/process-state.ts';
import type { ProcessOutput } from './process-output.ts';

// Bounds a process that keeps failing: its oldest attempts are dropped, and readers see a gap.
const maxAttempts = 50;

export class AttemptLogs {
  readonly #state: Pick<ProcessState, 'id' | 'parts' | 'markers'>;
  readonly #output: ProcessOutput;
  readonly #folders: ProcessFolders;

  constructor(state: Pick<ProcessState, 'id' | 'parts' | 'markers'>, output: ProcessOutput, folders: ProcessFolders) {
    this.#state = state;
    this.#output = output;
    this.#folders = folders;
  }

  /** Called before an attempt. `name` is the folder of its logs. */
  add(name: string): void {
    const { parts, markers } = this.#state;
    const last = parts.at(-1);
    const base = { stdout: 0, stderr: 0, all: 0 };
    for (const log of ['stdout', 'stderr', 'all'] as const)
      base[log] = (last?.base[log] ?? 0) + (last?.ends?.[log] ?? 0);
    parts.push({ name, base, ends: undefined });
    if (parts.length <= maxAttempts) return;
    for (const part of parts.splice(0, parts.length - maxAttempts)) {
      this.#folders.removeLogFolder(this.#state.id, part.name);
    }
    const oldest = parts[0]?.base.all ?? 0;
    markers.splice(
      0,
      Math.max(
        0,
        markers.findIndex(({ at }) => at >= oldest),
      ),
    );
  }

  /** Called when an attempt has ended and another follows. */
  close(ends: LogEnds): void {
    const part = this.#state.parts.at(-1);
    if (part !== undefined) part.ends = ends;
  }

  /** Adds a line of the guest at the present end of the output. */
  mark(text: string, breaks: boolean): void {
    const { markers } = this.#state;
    const last = this.#state.parts.at(-1);
    const at = last?.ends === undefined ? this.#output.markerOffset() : last.base.all + last.ends.all;
    markers.push({ id: (markers.at(-1)?.id ?? -1) + 1, at, text, breaks });
  }

  /** All earlier attempts together may keep `maxBytes`: the oldest are dropped first. */
  trimEarlier(maxBytes: number): void {
    const earlier = this.#state.parts.slice(0, -1);
    let kept = 0;
    for (const part of earlier.toReversed()) {
      kept += this.#output.logOf(part, 'all').keptBytes();
      if (kept > maxBytes) this.#folders.removeLogFolder(this.#state.id, part.name);
    }
  }
}
