import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { bytesPerMb } from '@berth/contract/guest';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveGuestInProcess } from '../../../tests/harness/guest-in-process.ts';
import { formOf, rawRequest } from '../../../tests/harness/raw-request.ts';
import { Uploads } from '../src/uploads/uploads.ts';
import { startTestGuest, type TestGuest } from './test-guest.ts';

const unknownId = '00000000-0000-4000-8000-000000000000';
const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex');

let guest: TestGuest;
beforeAll(async () => {
  guest = await startTestGuest();
});
afterAll(() => guest[Symbol.asyncDispose]());

const post = (path: string, body?: object | string) =>
  guest.ask(path, { method: 'POST', ...(body === undefined ? {} : { body }) });
const initiate = async (name: string, body?: object | string): Promise<string> =>
  (await post(`/filesystem-multipart/initiate/${encodeURIComponent(join(guest.work, name))}`, body)).json.uploadId;
const sendPart = (id: string, partNumber: number | string, bytes: Buffer) =>
  guest.ask(`/filesystem-multipart/${id}/part?partNumber=${partNumber}`, {
    method: 'PUT',
    ...formOf([{ name: 'file', value: bytes, fileName: 'part' }]),
  });
const complete = (id: string, parts: object[]) => post(`/filesystem-multipart/${id}/complete`, { parts });
const abort = (id: string) => guest.ask(`/filesystem-multipart/${id}/abort`, { method: 'DELETE' });
const folderOf = (id: string) => join(guest.state, 'uploads', id);

describe('wire check 7: an upload in parts', () => {
  test('each step answers as it should, and the file is the parts in order', async () => {
    const started = await post('/filesystem-multipart/initiate/out%2Fwhole.bin', { permissions: '0750' });
    expect(started.json).toEqual({
      uploadId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      path: join(guest.work, 'out/whole.bin'),
    });
    const id = started.json.uploadId;
    const [first, second] = [randomBytes(5 * bytesPerMb + 1), randomBytes(1000)];
    const two = await sendPart(id, 2, second);
    expect(two.json).toEqual({ partNumber: 2, etag: md5(second), size: 1000 });
    const one = await sendPart(id, 1, first);
    const parts = (await guest.ask(`/filesystem-multipart/${id}/parts`)).json;
    expect(parts).toEqual({
      uploadId: id,
      parts: [one.json, two.json].map((part) => ({ ...part, uploadedAt: expect.stringMatching(/Z$/) })),
    });
    const { uploads } = (await guest.ask('/filesystem-multipart')).json;
    expect(uploads).toEqual([
      {
        uploadId: id,
        path: join(guest.work, 'out/whole.bin'),
        initiatedAt: expect.stringMatching(/Z$/),
        permissions: 0o750,
        parts: { 1: parts.parts[0], 2: parts.parts[1] },
      },
    ]);
    const done = await complete(id, [two.json, one.json]);
    expect([done.status, done.json]).toEqual([
      200,
      { path: join(guest.work, 'out/whole.bin'), message: expect.stringMatching(/success/) },
    ]);
    expect((await readFile(join(guest.work, 'out/whole.bin'))).equals(Buffer.concat([first, second]))).toBe(true);
    expect(((await stat(join(guest.work, 'out/whole.bin'))).mode & 0o777).toString(8)).toBe('750');
    expect((await guest.ask('/filesystem-multipart')).json).toEqual({ uploads: [] });
    expect(await readdir(join(guest.state, 'uploads'))).toEqual([]);
  });
  test('any cut, any order, in parallel, some sent twice: the same bytes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 3000 }), { minLength: 1, maxLength: 12 }),
        fc.infiniteStream(fc.nat(1000)),
        async (pieces, luck) => {
          const id = await initiate('any');
          const numbered = pieces.map((piece, index) => ({ number: 1 + index * 7, bytes: Buffer.from(piece) }));
          const shuffled = numbered
            .map((part) => ({ part, key: luck.next().value }))
            .sort((a, b) => a.key - b.key)
            .map(({ part }) => part);
          for (const { number } of shuffled.slice(0, 2)) await sendPart(id, number, Buffer.from('replaced later'));
          const receipts = await Promise.all(shuffled.map(({ number, bytes }) => sendPart(id, number, bytes)));
          expect(
            (
              await complete(
                id,
                receipts.map(({ json }) => json),
              )
            ).status,
          ).toBe(200);
          const whole = Buffer.concat(numbered.map(({ bytes }) => bytes));
          expect((await readFile(join(guest.work, 'any'))).equals(whole)).toBe(true);
        },
      ),
      { numRuns: 25 },
    );
  });
  test('only the listed parts are used, and the etag may be quoted', async () => {
    const id = await initiate('listed');
    const first = (await sendPart(id, 1, Buffer.from('one'))).json;
    await sendPart(id, 2, Buffer.from('unused'));
    expect((await complete(id, [{ partNumber: 1, etag: `"${first.etag.toUpperCase()}"` }])).status).toBe(200);
    expect(await readFile(join(guest.work, 'listed'), 'utf8')).toBe('one');
  });
  test('an existing target keeps its mode, an empty part counts', async () => {
    await writeFile(join(guest.work, 'mode'), 'old', { mode: 0o600 });
    const id = await initiate('mode', { permissions: '0777' });
    const part = (await sendPart(id, 1, Buffer.alloc(0))).json;
    expect(part).toEqual({ partNumber: 1, etag: md5(Buffer.alloc(0)), size: 0 });
    await complete(id, [part]);
    const stats = await stat(join(guest.work, 'mode'));
    expect([stats.size, (stats.mode & 0o777).toString(8)]).toEqual([0, '600']);
  });
});

describe('U-04 each fault has its status', () => {
  test('initiate: bad octal and a directory are refused, bad JSON is none', async () => {
    expect((await post('/filesystem-multipart/initiate/x', { permissions: '9' })).status).toBe(400);
    expect((await post('/filesystem-multipart/initiate/x', 'no json')).status).toBe(200);
    expect((await post('/filesystem-multipart/initiate/x')).status).toBe(200);
    await mkdir(join(guest.work, 'folder'), { recursive: true });
    expect((await post('/filesystem-multipart/initiate/folder')).status).toBe(422);
  });
  test.each(['', 'x', '0', '-1', '1.5', '10001', '999999', '1e3'])('part number %j is a 400', async (number) => {
    const id = await initiate('n');
    expect((await sendPart(id, number, Buffer.from('x'))).status).toBe(400);
  });
  test('a part without a file or without a form is a 400', async () => {
    const id = await initiate('n');
    const path = `/filesystem-multipart/${id}/part?partNumber=1`;
    expect((await guest.ask(path, { method: 'PUT', ...formOf([{ name: 'other', value: 'x' }]) })).status).toBe(400);
    expect((await guest.ask(path, { method: 'PUT', body: 'raw' })).status).toBe(400);
    expect((await guest.ask(`/filesystem-multipart/${id}/parts`)).json.parts).toEqual([]);
  });
  test.each([unknownId, 'nonsense', '..', encodeURIComponent('../../etc')])(
    'upload %s is unknown: 404 everywhere',
    async (id) => {
      const answers = await Promise.all([
        sendPart(id, 1, Buffer.alloc(3 * bytesPerMb)),
        guest.ask(`/filesystem-multipart/${id}/parts`),
        complete(id, [{ partNumber: 1, etag: 'x' }]),
        abort(id),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    },
  );
  test('complete: no parts or one twice is a 400, a missing part or another etag a 409 that leaves the upload open', async () => {
    const id = await initiate('conflict');
    const part = (await sendPart(id, 1, Buffer.from('one'))).json;
    expect((await complete(id, [])).status).toBe(400);
    expect((await post(`/filesystem-multipart/${id}/complete`, '{')).status).toBe(400);
    expect((await complete(id, [part, part])).status).toBe(400);
    const missing = await complete(id, [part, { partNumber: 2, etag: 'x' }]);
    expect([missing.status, missing.json.error]).toEqual([409, expect.stringMatching(/Part 2/)]);
    const other = await complete(id, [{ ...part, etag: md5(Buffer.from('two')) }]);
    expect([other.status, other.json.error]).toEqual([409, expect.stringMatching(/Part 1/)]);
    expect(await readdir(guest.work)).not.toContain('conflict');
    expect((await complete(id, [part])).status).toBe(200);
    expect((await complete(id, [part])).status).toBe(404);
  });
  test('a target that cannot be written is a 422, and the upload stays open', async () => {
    const id = await initiate('late');
    const part = (await sendPart(id, 1, Buffer.from('one'))).json;
    await mkdir(join(guest.work, 'late'));
    expect((await complete(id, [part])).status).toBe(422);
    expect((await guest.ask(`/filesystem-multipart/${id}/parts`)).json.parts).toHaveLength(1);
    expect((await abort(id)).json).toEqual({ path: '', message: expect.stringMatching(/success/) });
  });
});

describe('R-34 state of uploads', () => {
  test('folder and files are for the guest alone', async () => {
    const id = await initiate('private');
    await sendPart(id, 1, Buffer.from('secret'));
    expect(((await stat(folderOf(id))).mode & 0o777).toString(8)).toBe('700');
    expect(((await stat(join(guest.state, 'uploads'))).mode & 0o777).toString(8)).toBe('700');
    for (const name of await readdir(folderOf(id))) {
      expect(((await stat(join(folderOf(id), name))).mode & 0o777).toString(8)).toBe('600');
    }
  });
  test('an open upload survives a restart of the guest', async () => {
    const id = await initiate('restart');
    const first = (await sendPart(id, 1, Buffer.from('before '))).json;
    await using next = await serveGuestInProcess(
      { SANDBOX_LOG_DIR: guest.state, DISABLE_REQUEST_LOGGING: '1' },
      guest.work,
    );
    const second = await rawRequest(next.url, `/filesystem-multipart/${id}/part?partNumber=2`, {
      method: 'PUT',
      ...formOf([{ name: 'file', value: 'after', fileName: 'p' }]),
    });
    const done = await rawRequest(next.url, `/filesystem-multipart/${id}/complete`, {
      method: 'POST',
      body: { parts: [first, second.json] },
    });
    expect(done.status).toBe(200);
    expect(await readFile(join(guest.work, 'restart'), 'utf8')).toBe('before after');
  });
  test('U-08 an upload untouched for 24 hours is removed, a younger one stays, and half-deleted folders are removed', async () => {
    const folder = join(guest.state, 'expiry');
    const uploads = new Uploads({ folder });
    const [old, young] = [await uploads.initiate('/x', 0o644), await uploads.initiate('/y', 0o644)];
    const hour = 3600;
    const now = Date.now() / 1000;
    await utimes(join(folder, old.uploadId), now, now - 25 * hour);
    await utimes(join(folder, young.uploadId), now, now - 23 * hour);
    await mkdir(join(folder, `${unknownId}.gone`));
    // A folder made by a guest that died before it wrote the record.
    await mkdir(join(folder, unknownId));
    await utimes(join(folder, unknownId), 1, 1);
    await uploads.sweep();
    expect(await readdir(folder)).toEqual([young.uploadId]);
  });
  test('U-08 a part makes an upload young again', async () => {
    const id = await initiate('young');
    await utimes(folderOf(id), 1, 1);
    await sendPart(id, 1, Buffer.from('x'));
    expect(
      (await guest.ask('/filesystem-multipart')).json.uploads.map((one: { uploadId: string }) => one.uploadId),
    ).toContain(id);
  });
  test('a broken record never fails the list', async () => {
    await mkdir(folderOf(unknownId), { recursive: true });
    await writeFile(join(folderOf(unknownId), 'upload.json'), '{"pa');
    expect((await guest.ask('/filesystem-multipart')).status).toBe(200);
    expect((await guest.ask(`/filesystem-multipart/${unknownId}/parts`)).status).toBe(404);
  });
  test('a part whose sender disconnects is not stored, and the part it was to replace stays', async () => {
    const id = await initiate('left');
    const part = (await sendPart(id, 1, Buffer.from('kept'))).json;
    const { headers, body } = formOf([{ name: 'file', value: Buffer.alloc(2_000_000), fileName: 'p' }]);
    const partials = async () => (await readdir(folderOf(id))).filter((name) => name.endsWith('.partial'));
    await new Promise<void>((resolve) => {
      const sent = request(`${guest.url}/filesystem-multipart/${id}/part?partNumber=1`, {
        method: 'PUT',
        headers: { ...headers, 'content-length': String(body.length) },
      });
      sent.on('error', () => resolve());
      sent.write(body.subarray(0, 1_000_000));
      void expect
        .poll(partials)
        .toHaveLength(1)
        .then(() => sent.destroy());
    });
    await expect.poll(partials).toEqual([]);
    expect((await complete(id, [part])).status).toBe(200);
    expect(await readFile(join(guest.work, 'left'), 'utf8')).toBe('kept');
  });
});

describe('races have one winner', () => {
  test('of ten completions and ten aborts exactly one succeeds, and the file is whole or absent', async () => {
    for (let round = 0; round < 15; round += 1) {
      const name = `race-${round}`;
      const id = await initiate(name);
      const part = (await sendPart(id, 1, Buffer.alloc(300_000, 'r'))).json;
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => (index % 2 === round % 2 ? complete(id, [part]) : abort(id))),
      );
      const winners = answers.filter(({ status }) => status === 200);
      expect(winners).toHaveLength(1);
      for (const { status } of answers) expect([200, 404, 409]).toContain(status);
      const isWritten = winners[0]?.json.path !== '';
      expect((await readdir(guest.work)).includes(name)).toBe(isWritten);
      if (isWritten) expect((await stat(join(guest.work, name))).size).toBe(300_000);
    }
  });
  test('parts that come in while the upload ends are told so, and leave nothing', async () => {
    const id = await initiate('parts-race');
    const part = (await sendPart(id, 1, Buffer.alloc(100_000, 'a'))).json;
    const [ended, ...others] = await Promise.all([
      complete(id, [part]),
      ...Array.from({ length: 10 }, (_, index) => sendPart(id, 2 + index, Buffer.alloc(50_000, 'b'))),
    ]);
    expect(ended?.status).toBe(200);
    for (const { status } of others) expect([200, 404, 409]).toContain(status);
    expect((await stat(join(guest.work, 'parts-race'))).size).toBe(100_000);
    await expect.poll(() => readdir(join(guest.state, 'uploads'))).not.toContain(id);
  });
  test('a part sent again while the upload completes gives the old bytes, the new ones or a 409, never a mixture', async () => {
    for (let round = 0; round < 10; round += 1) {
      const id = await initiate('mix');
      const [old, fresh] = [Buffer.alloc(400_000, 'o'), Buffer.alloc(400_000, 'f')];
      const part = (await sendPart(id, 1, old)).json;
      const [resent, done] = await Promise.all([sendPart(id, 1, fresh), complete(id, [part])]);
      expect([200, 404, 409]).toContain(resent.status);
      expect([200, 409]).toContain(done.status);
      if (done.status === 200) expect((await readFile(join(guest.work, 'mix'))).equals(old)).toBe(true);
      else await abort(id);
    }
  });
});
