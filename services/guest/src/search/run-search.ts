// Runs a search in a worker and reads its matches. A finished worker is kept for a while; a worker whose reader leaves
// is terminated, wherever it is.
import { Worker } from 'node:worker_threads';
import { Fault } from '../http/fault.ts';
import type { Credit, SearchJob, WorkerOrder, WorkerReport } from './search-job.ts';

const maxWorkers = 8;
const idleWorkerMs = 10_000;
const maxHeapMb = 96;
const maxYoungHeapMb = 16;

const idle: Worker[] = [];
let living = 0;

/** Batches in order; the last one is marked. Ending the iteration early ends the search. */
export async function* runSearch(job: SearchJob, signal: AbortSignal): AsyncGenerator<WorkerReport, void> {
  signal.throwIfAborted();
  const worker = idle.pop() ?? startWorker();
  const credit: Credit = new Int32Array(new SharedArrayBuffer(4));
  const inbox = openInbox(worker, signal);
  let isOver = false;
  try {
    worker.postMessage({ job, credit } satisfies WorkerOrder);
    while (!isOver) {
      const report = await inbox.next();
      isOver = report.last;
      yield report;
      Atomics.sub(credit, 0, 1);
      Atomics.notify(credit, 0);
    }
  } finally {
    inbox.close();
    if (isOver) keepIdle(worker);
    else void worker.terminate();
  }
}

/**
 * Reports of the worker, until it fails or the caller leaves. Only a few batches wait here, because the worker needs a
 * credit for each.
 */
function openInbox(worker: Worker, signal: AbortSignal): { next(): Promise<WorkerReport>; close(): void } {
  const waiting: WorkerReport[] = [];
  let failure: unknown;
  let wake = () => {};
  const keep = (report: WorkerReport) => {
    waiting.push(report);
    wake();
  };
  const fail = (error: unknown) => {
    failure ??= faultOf(error);
    wake();
  };
  const leave = () => fail(signal.reason);
  worker.on('message', keep).on('error', fail);
  signal.addEventListener('abort', leave);
  return {
    async next() {
      for (;;) {
        const report = waiting.shift();
        if (failure !== undefined) throw failure;
        if (report !== undefined) return report;
        // A new promise for each wait: a single one for the whole search would keep every batch in memory.
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    close() {
      worker.off('message', keep).off('error', fail);
      signal.removeEventListener('abort', leave);
    },
  };
}

/** For callers that want values. All matches are held in memory, so the job should ask for a limited number. */
export async function searchAll<Match>(job: SearchJob, signal: AbortSignal): Promise<Match[]> {
  const pieces: string[] = [];
  for await (const { json } of runSearch(job, signal)) if (json !== '') pieces.push(json);
  return JSON.parse(`[${pieces.join(',')}]`);
}

function startWorker(): Worker {
  if (living >= maxWorkers) {
    throw new Fault(429, `${maxWorkers} searches are under way. Wait for one to end, then try again.`, {
      headers: { 'Retry-After': '1' },
    });
  }
  living += 1;
  const file = import.meta.url.endsWith('.ts') ? './search-worker.ts' : './search-worker.js';
  const worker = new Worker(new URL(file, import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb, maxYoungGenerationSizeMb: maxYoungHeapMb },
  });
  worker.unref();
  worker.on('error', () => undefined);
  worker.once('exit', () => {
    living -= 1;
  });
  return worker;
}

function keepIdle(worker: Worker): void {
  idle.push(worker);
  setTimeout(() => {
    const at = idle.indexOf(worker);
    if (at < 0) return;
    idle.splice(at, 1);
    void worker.terminate();
  }, idleWorkerMs).unref();
}

function faultOf(error: unknown): unknown {
  const isFull = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
  if (!isFull) return error;
  return new Fault(
    422,
    'A folder holds more entries than a search can sort. Search in the folders below it, one by one.',
  );
}
