// Files larger than the guest's memory may become: they pass through a guest in its own process, whose memory is
// measured.
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { bytesPerMb } from '@berth/contract/guest';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GuestProcess, startGuestProcess } from '../../../../tests/harness/guest-process.ts';
import { formOf, rawRequest } from '../../../../tests/harness/raw-request.ts';
import { isFull } from '../../../../tests/harness/size.ts';

// Several times the allowed growth, otherwise a guest that keeps the whole file in memory would pass.
const sizeBytes = (isFull ? 1024 : 192) * bytesPerMb;
const partBytes = 5 * bytesPerMb;
const atOnce = 3;
// Allowance for buffers, garbage and the parser, independent of the size of the file.
const maxGrowthMb = 128;

let guest: GuestProcess;
let folder = '';
let target = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-files-'));
  target = join(folder, 'whole.bin');
  guest = await startGuestProcess();
  // The first calls load their modules; that is not growth.
  await rawRequest(guest.url, at(join(folder, 'warm')), { method: 'PUT', ...formOf([file(Buffer.alloc(10))]) });
  await rawRequest(guest.url, `${at(join(folder, 'warm'))}?download=true`);
});
afterAll(async () => {
  await guest[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const at = (path: string) => `/filesystem/${encodeURIComponent(path)}`;
const file = (value: Buffer) => ({ name: 'file', value, fileName: 'part' });

const block = randomBytes(partBytes);
/** Every part is different, and generated again on each use instead of kept in memory. */
const partOf = (index: number): Buffer => {
  const bytes = Buffer.from(block.subarray(0, Math.min(partBytes, sizeBytes - index * partBytes)));
  bytes.writeUInt32LE(index, 0);
  return bytes;
};
const partCount = Math.ceil(sizeBytes / partBytes);
const parts = Array.from({ length: partCount }, (_, index) => index);
const expectedHash = () => {
  const hash = createHash('sha256');
  for (const index of parts) hash.update(partOf(index));
  return hash.digest('hex');
};
const hashOf = async (path: string) => {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: bytesPerMb })) hash.update(chunk);
  return hash.digest('hex');
};

/** Peak memory of the guest in MB, as the kernel records it; writing 5 to `clear_refs` resets the record. */
async function peakMb(): Promise<number> {
  const status = await readFile(`/proc/${await guest.guestPid()}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
}
async function growthMb(work: () => Promise<void>): Promise<number> {
  await writeFile(`/proc/${await guest.guestPid()}/clear_refs`, '5');
  const before = await peakMb();
  await work();
  return (await peakMb()) - before;
}

describe(`${sizeBytes / bytesPerMb} MiB`, () => {
  test('R-33 an upload in parts, out of order, in parallel, some sent twice: equal hashes, flat memory', async () => {
    const growth = await growthMb(async () => {
      const id = await initiate(target);
      const receipts: object[] = [];
      const waiting = parts.toReversed();
      const worker = async () => {
        for (let index = waiting.shift(); index !== undefined; index = waiting.shift()) {
          if (index % 7 === 0) await sendPart(id, index + 1, Buffer.from('sent again below'));
          receipts.push(await sendPart(id, index + 1, partOf(index)));
        }
      };
      await Promise.all(Array.from({ length: atOnce }, worker));
      expect((await complete(id, receipts)).status).toBe(200);
    });
    expect((await stat(target)).size).toBe(sizeBytes);
    expect(await hashOf(target)).toBe(expectedHash());
    expect(growth).toBeLessThan(maxGrowthMb);
  });

  test('R-37 its download, with a slow reader beside it: equal hashes, flat memory', async () => {
    const hash = createHash('sha256');
    let slow: { destroy(): void } | undefined;
    const growth = await growthMb(async () => {
      slow = request(`${guest.url}${at(target)}?download=true`, (response) => response.pause()).end();
      const response = await fetch(`${guest.url}${at(target)}?download=true`);
      expect(response.headers.get('content-length')).toBe(String(sizeBytes));
      for await (const chunk of response.body ?? []) hash.update(chunk);
    });
    slow?.destroy();
    expect(hash.digest('hex')).toBe(expectedHash());
    expect(growth).toBeLessThan(maxGrowthMb);
  });

  test('R-33 as one form: equal hashes, flat memory', async () => {
    const path = join(folder, 'form.bin');
    const growth = await growthMb(async () => {
      const { headers, body } = formOf([file(Buffer.from('HERE'))]);
      const [before, after] = [body.subarray(0, body.indexOf('HERE')), body.subarray(body.indexOf('HERE') + 4)];
      const sent = request(`${guest.url}${at(path)}`, {
        method: 'PUT',
        headers: { ...headers, 'content-length': String(sizeBytes + before.length + after.length) },
      });
      const answered = new Promise<number | undefined>((resolve, reject) => {
        sent.on('error', reject).on('response', (response) => {
          response.resume();
          resolve(response.statusCode);
        });
      });
      function* whole() {
        yield before;
        for (const index of parts) yield partOf(index);
        yield after;
      }
      await pipeline(Readable.from(whole()), sent);
      expect(await answered).toBe(200);
    });
    expect(await hashOf(path)).toBe(expectedHash());
    expect(growth).toBeLessThan(maxGrowthMb);
  });
});

test('R-37 the longest text as JSON, every character of it escaped, does not take its length in memory', async () => {
  const path = join(folder, 'zeros');
  await writeFile(path, '');
  await truncate(path, 32 * bytesPerMb);
  let length = 0;
  const growth = await growthMb(async () => {
    const response = await fetch(`${guest.url}${at(path)}`);
    for await (const chunk of response.body ?? []) length += chunk.length;
  });
  expect(length).toBeGreaterThan(6 * 32 * bytesPerMb);
  expect(growth).toBeLessThan(maxGrowthMb);
});

test('R-33 R-34 a guest killed during transfers: the next one deletes the partial file and continues the upload', async () => {
  const id = await initiate(join(folder, 'continued'));
  const first = await sendPart(id, 1, Buffer.from('before '));
  const { headers, body } = formOf([file(Buffer.alloc(4 * bytesPerMb))]);
  const sent = request(`${guest.url}${at(join(folder, 'interrupted'))}`, {
    method: 'PUT',
    headers: { ...headers, 'content-length': String(body.length) },
  });
  const broken = new Promise((resolve) => sent.once('error', resolve));
  sent.write(body.subarray(0, bytesPerMb));
  const partials = async () => (await readdir(folder)).filter((name) => name.endsWith('.partial'));
  await expect.poll(partials).toHaveLength(1);
  process.kill(await guest.guestPid(), 'SIGKILL');
  await broken;
  expect(await partials()).toHaveLength(1);
  const second = await sendPart(id, 2, Buffer.from('after'));
  await expect.poll(partials).toEqual([]);
  expect((await complete(id, [first, second])).status).toBe(200);
  expect(await readFile(join(folder, 'continued'), 'utf8')).toBe('before after');
  expect(await readdir(folder)).not.toContain('interrupted');
});

async function initiate(path: string): Promise<string> {
  const answer = await rawRequest(guest.url, `/filesystem-multipart/initiate/${encodeURIComponent(path)}`, {
    method: 'POST',
  });
  return answer.json.uploadId;
}

async function sendPart(id: string, partNumber: number, bytes: Buffer): Promise<object> {
  const answer = await rawRequest(guest.url, `/filesystem-multipart/${id}/part?partNumber=${partNumber}`, {
    method: 'PUT',
    ...formOf([file(bytes)]),
  });
  expect(answer.status).toBe(200);
  return answer.json;
}

function complete(id: string, receipts: object[]) {
  return rawRequest(guest.url, `/filesystem-multipart/${id}/complete`, { method: 'POST', body: { parts: receipts } });
}
