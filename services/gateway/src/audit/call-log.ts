// Which key called which workload: one row of the audit log for a key, a workload and an hour, with the number of calls. Requests
// only count in memory. Rows are written in the background, the first time within seconds, and their count once more when the
// hour or the process ends.
import type { Principal } from '@berth/identity';
import type { Logger } from '@berth/telemetry';
import type { Workload } from '../routing/route.ts';
import type { CallEntry } from './write-calls.ts';

export interface CallLog {
  /** At once, and without a question to anybody. */
  note(principal: Principal, workload: CalledWorkload, from: { address: string; requestId: string }): void;
  /** Writes what is due now. */
  flush(): Promise<void>;
  /** Writes the rest. */
  close(): Promise<void>;
}

type CalledWorkload = Pick<Workload, 'uid' | 'kind' | 'name' | 'workspaceId'>;

export interface CallLogOptions {
  /** Each throws when nothing of it was written. */
  readonly insert: (entries: readonly CallEntry[]) => Promise<void>;
  readonly update: (entries: readonly CallEntry[]) => Promise<void>;
  readonly logger: Logger;
  readonly now?: () => number;
  readonly maxEntries?: number;
}

interface Counted extends CallEntry {
  uses: number;
  /** What the row says; 0 while there is none. */
  written: number;
}

const windowMs = 60 * 60 * 1_000;
const flushMs = 5_000;
/** One statement. */
const batch = 500;

export function createCallLog({
  insert,
  update,
  logger,
  now = Date.now,
  maxEntries = 10_000,
}: CallLogOptions): CallLog {
  const open = new Map<string, Counted>();
  /** Windows that are over and whose last count is not written yet. */
  const ended: Counted[] = [];
  let missed = 0;
  let flushing: Promise<void> = Promise.resolve();

  function note(
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
    // A table that is full makes room: what is counted from then on gets a row of its own.
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
        'calls of workloads are missing in the audit log; too many at once',
      );
    missed = 0;
  }

  function flush(isLast = false): Promise<void> {
    flushing = flushing
      .then(() => write(isLast))
      .catch((err: unknown) => {
        logger.warn(
          { err, event: 'gateway.audit_failed' },
          'calls of workloads were not written to the audit log; tried again',
        );
      });
    return flushing;
  }

  const timer = setInterval(() => void flush(), flushMs).unref();
  return {
    note,
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

/** `written` is set to what was sent: calls that are counted meanwhile are written the next time. */
async function inBatches(entries: readonly Counted[], send: CallLogOptions['insert']): Promise<void> {
  for (let from = 0; from < entries.length; from += batch) {
    const part = entries.slice(from, from + batch);
    const sent = part.map(({ uses }) => uses);
    await send(part.map((entry) => ({ ...entry })));
    for (const [index, entry] of part.entries()) entry.written = sent[index] ?? 0;
  }
}
