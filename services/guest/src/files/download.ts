// Sends a file as bytes. Two buffers alternate between the disk and the connection, so a download of any size costs the
// same memory. The length is fixed when the file is opened: bytes added later are left out, and a file that shrinks
// meanwhile ends the connection, since the promised length cannot be kept.
import type { FileHandle } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { posix } from 'node:path';
import type { Call } from '../http/call.ts';
import { attachmentNamed, contentTypeOf } from './content-type.ts';
import { changedAt } from './describe-file.ts';
import { type OpenedFile, openForReading } from './open-for-reading.ts';
import { selectRange, type Validators } from './select-range.ts';
import { withFaults } from './system-fault.ts';
import { writeAndFlush } from './write-and-flush.ts';

const bufferBytes = 512 * 1024;
const minRoomBytes = 16 * 1024;

export async function download(call: Call, path: string): Promise<void> {
  const opened = await withFaults('read', path, () => openForReading(path));
  try {
    await send(call, path, opened);
  } finally {
    await opened.handle.close();
  }
}

async function send({ request, response, headOnly }: Call, path: string, { handle, stats }: OpenedFile): Promise<void> {
  // A small file is read whole, because its reported size may be wrong: files of /proc and /sys report a meaningless
  // size, and any file may just have changed.
  const room = Math.max(minRoomBytes, stats.size + 1);
  const small = room <= bufferBytes ? await readSmall(handle, path, room) : undefined;
  const marks = { size: small?.length ?? stats.size, etag: etagOf(stats), changedAt: changedAt(stats) };
  writeFileHeaders(response, path, marks);
  if (small !== undefined && small.length === room) {
    await sendRest(response, handle, small, headOnly);
    return;
  }
  const selected = selectRange(request.headers, marks);
  if (selected.status === 304 || selected.status === 416) {
    if (selected.status === 416) response.setHeader('content-range', `bytes */${marks.size}`);
    response.removeHeader('content-disposition');
    response.removeHeader('content-type');
    response.writeHead(selected.status, selected.status === 416 ? { 'content-length': 0 } : {}).end();
    return;
  }
  const { start, end } = selected;
  if (selected.status === 206) response.setHeader('content-range', `bytes ${start}-${end - 1}/${marks.size}`);
  response.writeHead(selected.status, { 'content-length': end - start });
  if (headOnly) response.end();
  else if (small !== undefined) response.end(small.subarray(start, end));
  else await sendPart(response, handle, start, end);
}

function writeFileHeaders(response: ServerResponse, path: string, marks: Validators): void {
  response.setHeader('content-type', contentTypeOf(path));
  response.setHeader('content-disposition', attachmentNamed(posix.basename(path)));
  response.setHeader('accept-ranges', 'bytes');
  response.setHeader('etag', marks.etag);
  const date = marks.changedAt.toUTCString();
  // HTTP dates have four digits for the year.
  if (/ \d{4} /.test(date)) response.setHeader('last-modified', date);
}

function etagOf({ mtimeMs, size }: OpenedFile['stats']): string {
  return `W/"${Math.floor(mtimeMs * 1000).toString(16)}-${size.toString(16)}"`;
}

/** Reads the file up to `room` bytes. A full buffer means that there may be more. */
async function readSmall(handle: FileHandle, path: string, room: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(room);
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await withFaults('read', path, () => handle.read(buffer, filled, buffer.length - filled));
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/** Sends a file that is longer than its reported size: without a length, without ranges. */
async function sendRest(response: ServerResponse, handle: FileHandle, start: Buffer, headOnly: boolean): Promise<void> {
  response.setHeader('accept-ranges', 'none');
  response.writeHead(200);
  if (!headOnly) {
    await writeAndFlush(response, start);
    const buffer = Buffer.allocUnsafe(bufferBytes);
    for (let { bytesRead } = await handle.read(buffer); bytesRead > 0; { bytesRead } = await handle.read(buffer)) {
      await writeAndFlush(response, buffer.subarray(0, bytesRead));
    }
  }
  response.end();
}

async function sendPart(response: ServerResponse, handle: FileHandle, start: number, end: number): Promise<void> {
  let [reading, sending] = [Buffer.allocUnsafe(bufferBytes), Buffer.allocUnsafe(bufferBytes)];
  let sent: Promise<void> = Promise.resolve();
  for (let at = start; at < end; ) {
    const { bytesRead } = await handle.read(reading, 0, Math.min(reading.length, end - at), at);
    await sent;
    if (bytesRead === 0) {
      response.destroy();
      return;
    }
    sent = writeAndFlush(response, reading.subarray(0, bytesRead));
    // The next read starts before this promise is awaited; without a handler, a caller that left would cause an
    // unhandled rejection.
    sent.catch(() => undefined);
    at += bytesRead;
    [reading, sending] = [sending, reading];
  }
  await sent;
  response.end();
}
