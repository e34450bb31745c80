// Records which key called which workload: one row of the audit log per key, workload and hour, with the number of
// calls. A request only increments a counter in memory. Rows are written in the background, first within seconds, and
// the count is updated once more when the hour or the process ends.
import type { Principal } from '@berth/identity';
import type { Logger } from '@berth/telemetry';
import type { Workload } from '../workloads/workload.ts';
import type { CallEntry } from './write-calls.ts';

export interface CallLog {
  /** Synchronous; makes no query. */
  record(principal: Principal, workload: CalledWorkload, from: { address: string; requestId: string }): void;
  /** Writes the rows that are due now. */
  flush(): Promise<void>;
  /** Writes all remaining rows. */
  close(): Promise<void>;
}

interface CalledWorkload extends Pick<Workload, 'uid' | 'name' | 'workspaceId'> {
  readonly kind: Workload['kind'] | 'job' | 'model';
}

export interface CallLogOptions {
  /** Each callback throws when it wrote no row. */
  readonly insert: (entries: readonly CallEntry[]) => Promise<void>;
  readonly update: (entries: readonly CallEntry[]) => Promise<void>;
  readonly logger: Logger;
  readonly now?: () => number;
  readonly maxEntries?: number;
}

interface Counted extends CallEntry {
  uses: number;
  /** Count stored in the row; 0 while there is no row. */
  written: number;
}

const windowMs = 60 * 60 * 1_000;
const flushMs = 5_000;
/** Rows per statement. */
const batch = 500;

export function createCallLog({
  insert,
  update,
  logger,
  now = Date.now,
  maxEntries = 10_000,
}: CallLogOptions): CallLog {
  const open = new Map<string, Counted>();
  /** Windows that have ended and whose final count is not written yet. */
  const ended: Counted[] = [];
  let missed = 0;
  let flushing: Promise<void> = Promise.resolve();

  function record(
    principal: Principal,
    workload: CalledWorkload,
    { address, requestId }: { address: string; requestId: string },
  ): void {
    const id = `${principal.keyId} ${workload.uid}`;
    const known = open.get(id);
    if (known !== undefined && now() < known.at.getTime() + windowMs) {
      known.uses += 1;
      return;
    }
    if (known !== undefined) ended.push(known);
    if (known === undefined && open.size + ended.length >= maxEntries) {
      missed += 1;
      return;
    }
    open.set(id, { ...entryOf(principal, workload), at: new Date(now()), address, requestId, uses: 1, written: 0 });
  }

  function endWindows(isLast: boolean): void {
    // A full table ends all windows to make room; later calls get a new row.
    const isFull = open.size >= maxEntries;
    for (const [id, entry] of open) {
      if (!isLast && !isFull && now() < entry.at.getTime() + windowMs) continue;
      open.delete(id);
      ended.push(entry);
    }
  }

  async function write(isLast: boolean): Promise<void> {
    endWindows(isLast);
    const all = [...ended, ...open.values()];
    await inBatches(
      all.filter(({ written }) => written === 0),
      insert,
    );
    await inBatches(
      ended.filter(({ uses, written }) => written > 0 && written < uses),
      update,
    );
    ended.splice(0, ended.length, ...ended.filter(({ uses, written }) => written < uses));
    if (missed > 0)
      logger.warn(
        { event: 'gateway.audit_missed', missed },
        'audit log table in memory is full; calls of new keys and workloads are not recorded',
      );
    missed = 0;
  }

  function flush(isLast = false): Promise<void> {
    flushing = flushing
      .then(() => write(isLast))
      .catch((err: unknown) => {
        logger.warn({ err, event: 'gateway.audit_failed' }, 'audit log write failed; retrying');
      });
    return flushing;
  }

  const timer = setInterval(() => void flush(), flushMs).unref();
  return {
    record,
    flush: () => flush(),
    async close() {
      clearInterval(timer);
      await flush(true);
    },
  };
}

function entryOf({ keyId, subject, subjectType, memberships }: Principal, { kind, name, workspaceId }: CalledWorkload) {
  const accountId = memberships.find((each) => each.workspaceId === workspaceId)?.accountId;
  return { keyId, subject, subjectType, accountId, workspaceId, target: `${kind}/${name}` };
}

/** Sets `written` to the count that was sent; calls counted during the write go out with the next one. */
async function inBatches(entries: readonly Counted[], send: CallLogOptions['insert']): Promise<void> {
  for (let from = 0; from < entries.length; from += batch) {
    const part = entries.slice(from, from + batch);
    const sent = part.map(({ uses }) => uses);
    await send(part.map((entry) => ({ ...entry })));
    for (const [index, entry] of part.entries()) entry.written = sent[index] ?? 0;
  }
}
