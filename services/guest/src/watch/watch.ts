// The change stream of a folder; with `/**` after its path, also of everything below it. All lines are written whole
// and from one place, so a keepalive never lands inside another line. Memory does not grow with a slow reader: then the
// native program is not read either, the kernel drops events that it cannot queue, and the stream reports that events
// were lost.
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { startStream } from '../http/answer.ts';
import { type Call, whenCallerLeaves } from '../http/call.ts';
import { Fault, systemCode } from '../http/fault.ts';
import { resolveWildcard } from '../paths.ts';
import { startWatcher, type Watcher } from './start-watcher.ts';
import { errorLine, linesOf, type WatchOptions } from './watch-lines.ts';
import { RecordReader } from './watch-records.ts';

const keepAliveMs = 30_000;
const maxWatches = 64;
const contentType = 'text/plain; charset=utf-8';
const recursiveSuffix = /\/\*\*$/;

let open = 0;

export async function watch(call: Call): Promise<void> {
  const { absolute } = resolveWildcard(call.rest, call.guest.settings);
  const folder = absolute.replace(recursiveSuffix, '') || '/';
  await requireFolder(folder);
  if (call.headOnly) {
    call.response.writeHead(200, { 'content-type': contentType }).end();
    return;
  }
  if (open >= maxWatches) {
    throw new Fault(429, `${maxWatches} watches are open. Close one, then try again.`);
  }
  const ignore = (call.query.get('ignore') ?? '').split(',').filter((part) => part !== '');
  const leaving = AbortSignal.any([whenCallerLeaves(call), call.guest.stopping]);
  const watcher = startWatcher(call.guest.settings, folder, recursiveSuffix.test(absolute));
  open += 1;
  leaving.addEventListener('abort', watcher.end, { once: true });
  try {
    await stream(call, watcher, { folder, ignore }, leaving);
  } finally {
    open -= 1;
    watcher.end();
  }
}

/** The answer starts when every watch is set, so that every change its reader makes from then on is reported. */
async function stream(call: Call, watcher: Watcher, options: WatchOptions, leaving: AbortSignal): Promise<void> {
  const { response } = call;
  const reader = new RecordReader();
  let held = '';
  let isGone = false;
  using _keepalive = startKeepAlive(() => {
    if (response.headersSent && !response.writableNeedDrain) response.write('[keepalive]\n');
  });
  for await (const chunk of watcher.output) {
    const records = reader.read(chunk);
    isGone ||= records.some(({ kind }) => kind === 'gone');
    held += linesOf(records, options);
    if (!response.headersSent) {
      if (!records.some(({ kind }) => kind === 'ready')) continue;
      startStream(call, contentType);
    }
    if (held !== '' && !response.write(held)) await drained(response, leaving);
    held = '';
    if (leaving.aborted) break;
  }
  if (leaving.aborted || isGone) response.end();
  else await endWithReason(call, watcher, options);
}

async function drained(response: ServerResponse, leaving: AbortSignal): Promise<void> {
  await once(response, 'drain', { signal: leaving }).catch(() => undefined);
}

async function endWithReason({ response }: Call, watcher: Watcher, { folder }: WatchOptions): Promise<void> {
  const reason = await watcher.ended;
  if (!response.headersSent) throw new Fault(500, `${folder} cannot be watched: ${reason}. Try again, or poll it.`);
  response.end(errorLine(folder, `The watch has ended: ${reason}. Start it again.`));
}

function startKeepAlive(action: () => void): Disposable {
  const timer = setInterval(action, keepAliveMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

async function requireFolder(folder: string): Promise<void> {
  let isFolder = false;
  try {
    isFolder = (await stat(folder)).isDirectory();
  } catch (error) {
    const code = systemCode(error);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') {
      throw new Fault(422, `${folder} cannot be looked at: ${code ?? error}. Check its permissions.`, { cause: error });
    }
  }
  if (!isFolder) throw new Fault(400, `${folder} is not a directory. Watch the one that holds it.`);
}
