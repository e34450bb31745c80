// Containers in which the kernel has ended a process for want of memory, as the kernel's own log names them. The engine learns
// of it by an event that races with the end of the container: on a busy machine it misses some, under gVisor most.
import { constants, openSync, readSync } from 'node:fs';
import { BoundedMap } from '@berth/concurrency';

export interface OutOfMemoryLog {
  /** False also where the kernel's log cannot be read, or has lost the line in a flood of others. */
  names(containerId: string): boolean;
}

const device = '/dev/kmsg';
const maxContainers = 10_000;
/** The longest record of the kernel. */
const recordBytes = 8 * 1024;

/** Stays open for the life of the process. */
export function openOutOfMemoryLog(path = device): OutOfMemoryLog {
  const named = new BoundedMap<true>(maxContainers);
  const descriptor = openedForReading(path);
  return {
    names(containerId) {
      for (const record of descriptor === undefined ? [] : newRecords(descriptor)) {
        const found = containerIn(record);
        if (found !== undefined) named.set(found, true);
      }
      return named.get(containerId) === true;
    },
  };
}

/** Undefined where the machine hides its log, for example from a runner that itself is in a container. */
function openedForReading(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
}

/** Each read gives one record, and fails at the end of the log. */
function* newRecords(descriptor: number): Generator<string> {
  const buffer = Buffer.allocUnsafe(recordBytes);
  for (;;) {
    try {
      const bytes = readSync(descriptor, buffer);
      if (bytes === 0) return;
      yield buffer.toString('latin1', 0, bytes);
    } catch (error) {
      // The oldest records were overwritten since the last read: the next read continues behind them.
      if (!(error instanceof Error && 'code' in error && error.code === 'EPIPE')) return;
    }
  }
}

const recordForm = /oom-kill:constraint=CONSTRAINT_MEMCG,.*\boom_memcg=([^,\n]*)/;
const idForm = /[0-9a-f]{64}/g;

/** The cgroup ends with the container's id, or holds it in the name of its scope. */
export function containerIn(record: string): string | undefined {
  const [, cgroup] = recordForm.exec(record) ?? [];
  return cgroup?.match(idForm)?.at(-1);
}
