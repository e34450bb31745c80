import type { Supervisor } from '../../supervisor/supervisor.ts';
import type { ProcessState } from '../state/process-state.ts';
import type { Cursor, Piece, ProcessOutput } from './process-output.ts';

type FollowedProcess = {
  state: Pick<ProcessState, 'attempt' | 'parts'>;
  output: ProcessOutput;
  isRunning(): boolean;
  watch(changed: () => void): () => void;
};

/**
 * Each reader has its own position in the logs and pulls at its own pace: nothing is queued for a slow reader, and
 * readers do not delay each other. A reader that is slower than the logs are kept receives a gap.
 */
export async function* followOutput(
  process: FollowedProcess,
  supervisor: Supervisor,
  from: Cursor,
  until: AbortSignal,
): AsyncGenerator<Piece[]> {
  let cursor = from;
  while (!until.aborted) {
    // Captured before the read: output written afterwards is found by the next read.
    const isEnded = !process.isRunning();
    const known = supervisor.record(process.state.attempt.key);
    const found = process.output.read(cursor);
    if (found !== undefined) {
      cursor = found.cursor;
      yield found.pieces;
      continue;
    }
    if (isEnded) return;
    const base = process.state.parts.at(-1)?.base.all ?? 0;
    // The log may be longer than what can be read, when a piece was lost to a full disk: then only the next piece is
    // worth waiting for.
    await waitForChange(process, supervisor, Math.max(cursor.at - base, known?.ends.all ?? 0), until);
  }
}

async function waitForChange(
  process: FollowedProcess,
  supervisor: Supervisor,
  past: number,
  until: AbortSignal,
): Promise<void> {
  const leaving = new AbortController();
  const { promise, resolve } = Promise.withResolvers<void>();
  const unwatch = process.watch(resolve);
  until.addEventListener('abort', () => resolve(), { signal: leaving.signal });
  const { key } = process.state.attempt;
  const record = supervisor.record(key);
  // An attempt that is over writes nothing more: only the next attempt is worth waiting for.
  if (record !== undefined && record.exit === undefined) {
    supervisor.output(key, past, leaving.signal).then(
      () => resolve(),
      () => resolve(),
    );
  }
  await promise;
  unwatch();
  leaving.abort();
}
