import { Socket } from 'node:net';
import {
  encodeFrame,
  encodeNumber,
  encodeResize,
  encodeSpawn,
  FrameDecoder,
  type FrameFromHelper,
  maxFrameBytes,
} from './frames.ts';
import type { ProcessKey, ProcessRecord, SpawnFailure, SpawnRequest, Supervisor } from './supervisor.ts';

// One write is answered before the next is sent, so the helper holds at most this much for one process.
const maxWriteBytes = 64 * 1024;

/** Connects on the descriptor that the helper passed on. The guest is useless without the helper: `lost` ends it. */
export function connectSupervisor(descriptor: number, lost: () => void): Supervisor {
  const socket = new Socket({ fd: descriptor, readable: true, writable: true });
  const client = new SupervisorClient((frame) => void socket.write(frame));
  const decoder = new FrameDecoder();
  socket.on('data', (chunk) => {
    for (const frame of decoder.decode(chunk)) client.take(frame);
  });
  socket.on('error', lost);
  socket.on('close', lost);
  return client;
}

type Waiter = { past: number; resolve: (record: ProcessRecord) => void };

class SupervisorClient implements Supervisor {
  readonly ready: Promise<void>;
  readonly #send: (frame: Buffer) => void;
  readonly #records = new Map<ProcessKey, ProcessRecord>();
  readonly #spawning = new Map<ProcessKey, (outcome: ProcessRecord | SpawnFailure) => void>();
  readonly #writing = new Map<ProcessKey, (ok: boolean) => void>();
  readonly #lastWrite = new Map<ProcessKey, Promise<boolean>>();
  readonly #waiting = new Map<ProcessKey, Set<Waiter>>();
  readonly #refreshing = new Map<ProcessKey, ((record: ProcessRecord | undefined) => void)[]>();
  readonly #listeners: ((record: ProcessRecord) => void)[] = [];
  #markReady: () => void;

  constructor(send: (frame: Buffer) => void) {
    this.#send = send;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ready = promise;
    this.#markReady = resolve;
  }

  take(frame: FrameFromHelper): void {
    switch (frame.type) {
      case 'ready':
        this.#markReady();
        return;
      case 'record':
        this.#records.set(frame.record.key, frame.record);
        return;
      case 'output':
      case 'exit':
        this.#update(frame.record);
        return;
      case 'written':
        this.#writing.get(frame.key)?.(frame.ok);
        return;
      case 'spawned':
        this.#spawning.get(frame.key)?.(frame.outcome);
        if (!('pid' in frame.outcome)) return;
        // The process may have ended already. Its exit is then reported here, and not a second time by the exit frame
        // that follows.
        this.#records.set(frame.key, { ...frame.outcome, exit: undefined });
        this.#update(frame.outcome);
    }
  }

  records(): readonly ProcessRecord[] {
    return [...this.#records.values()];
  }

  record(key: ProcessKey): ProcessRecord | undefined {
    return this.#records.get(key);
  }

  async spawn(key: ProcessKey, request: SpawnRequest): Promise<ProcessRecord | SpawnFailure> {
    const frame = encodeSpawn(key, request);
    // Same error as the kernel's for arguments that are too long.
    if (frame.length > maxFrameBytes) return { stage: 'program', errno: argumentsTooLongErrno };
    const { promise, resolve } = Promise.withResolvers<ProcessRecord | SpawnFailure>();
    this.#spawning.set(key, resolve);
    this.#send(frame);
    const outcome = await promise;
    this.#spawning.delete(key);
    return outcome;
  }

  signal(key: ProcessKey, signal: number): boolean {
    const record = this.#records.get(key);
    if (record === undefined || record.exit !== undefined) return false;
    this.#send(encodeFrame('K', key, Buffer.from([signal])));
    return true;
  }

  write(key: ProcessKey, bytes: Buffer): Promise<boolean> {
    const after = this.#lastWrite.get(key) ?? Promise.resolve(true);
    const done = after.then(() => this.#writeAll(key, bytes));
    this.#lastWrite.set(key, done);
    void done.then(() => {
      if (this.#lastWrite.get(key) === done) this.#lastWrite.delete(key);
    });
    return done;
  }

  endInput(key: ProcessKey): void {
    this.#send(encodeFrame('E', key));
  }

  resize(key: ProcessKey, cols: number, rows: number): void {
    this.#send(encodeResize(key, cols, rows));
  }

  limitLog(key: ProcessKey, maxBytes: number): void {
    this.#send(encodeNumber('L', key, maxBytes));
  }

  output(key: ProcessKey, past: number, until?: AbortSignal): Promise<ProcessRecord> {
    const record = this.#records.get(key);
    if (record === undefined) return Promise.reject(new Error(`The helper knows no process ${key}.`));
    if (isDue(record, past) || until?.aborted) return Promise.resolve(record);
    const waiting = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, waiting);
    const { promise, resolve } = Promise.withResolvers<ProcessRecord>();
    const waiter = { past, resolve };
    waiting.add(waiter);
    this.#requestOutput(key, waiting);
    if (until === undefined) return promise;
    // A reader that leaves is removed: a silent process would collect them.
    const leave = () => {
      waiting.delete(waiter);
      resolve(this.#records.get(key) ?? record);
    };
    until.addEventListener('abort', leave, { once: true });
    return promise.finally(() => until.removeEventListener('abort', leave));
  }

  refresh(key: ProcessKey): Promise<ProcessRecord | undefined> {
    const record = this.#records.get(key);
    if (record?.exit === undefined) return Promise.resolve(record);
    const { promise, resolve } = Promise.withResolvers<ProcessRecord | undefined>();
    const asked = this.#refreshing.get(key) ?? [];
    this.#refreshing.set(key, [...asked, resolve]);
    // The helper answers at once for an ended process.
    if (asked.length === 0) this.#send(encodeNumber('O', key, record.ends.all));
    return promise;
  }

  onExit(listener: (record: ProcessRecord) => void): void {
    this.#listeners.push(listener);
  }

  forget(key: ProcessKey): void {
    if (!this.#records.delete(key)) return;
    this.#send(encodeFrame('F', key));
    this.#resolveRefreshes(key, undefined);
  }

  #update(record: ProcessRecord): void {
    const known = this.#records.get(record.key);
    // A late answer about a process that has been forgotten meanwhile.
    if (known === undefined) return;
    this.#records.set(record.key, record);
    this.#resolveWaiters(record);
    this.#resolveRefreshes(record.key, record);
    if (record.exit === undefined || known.exit !== undefined) return;
    this.#writing.get(record.key)?.(false);
    for (const listener of this.#listeners) listener(record);
  }

  #resolveRefreshes(key: ProcessKey, record: ProcessRecord | undefined): void {
    const asked = this.#refreshing.get(key) ?? [];
    this.#refreshing.delete(key);
    for (const resolve of asked) resolve(record);
  }

  #resolveWaiters(record: ProcessRecord): void {
    const waiting = this.#waiting.get(record.key);
    if (waiting === undefined) return;
    for (const waiter of waiting) {
      if (!isDue(record, waiter.past)) continue;
      waiting.delete(waiter);
      waiter.resolve(record);
    }
    if (waiting.size === 0) this.#waiting.delete(record.key);
    else this.#requestOutput(record.key, waiting);
  }

  /** The helper keeps one output request for each process: the request that is due first is sent for all waiters. */
  #requestOutput(key: ProcessKey, waiting: ReadonlySet<Waiter>): void {
    this.#send(encodeNumber('O', key, Math.min(...[...waiting].map(({ past }) => past))));
  }

  async #writeAll(key: ProcessKey, bytes: Buffer): Promise<boolean> {
    for (let at = 0; at < bytes.length; at += maxWriteBytes) {
      if (!(await this.#writeOne(key, bytes.subarray(at, at + maxWriteBytes)))) return false;
    }
    return true;
  }

  async #writeOne(key: ProcessKey, bytes: Buffer): Promise<boolean> {
    const record = this.#records.get(key);
    if (record === undefined || record.exit !== undefined) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#writing.set(key, resolve);
    this.#send(encodeFrame('W', key, bytes));
    const ok = await promise;
    this.#writing.delete(key);
    return ok;
  }
}

const argumentsTooLongErrno = 7;

function isDue(record: ProcessRecord, past: number): boolean {
  return record.exit !== undefined || record.ends.all > past;
}
