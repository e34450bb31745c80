import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decryptFrames, encryptFrames, frameBytes } from './frames.ts';

const key = randomBytes(32);

/** The data in pieces of this size, as a stream brings them. */
async function* pieces(data: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < data.length; at += size) yield data.subarray(at, at + size);
}

const encrypt = (data: Buffer, size = 10_000) => buffer(encryptFrames(key, 'a', pieces(data, size)));
const decrypt = (data: Buffer, { name = 'a', by = key, size = 10_000 } = {}) =>
  buffer(decryptFrames(by, name, pieces(data, size)));

test('data of any size, read and written in any pieces, comes back unchanged', async () => {
  const size = fc.oneof(
    fc.integer({ min: 0, max: 3 }),
    fc.integer({ min: -2, max: 2 }).map((more) => frameBytes + more),
    fc.integer({ min: -2, max: 2 }).map((more) => 2 * frameBytes + more),
  );
  const piece = fc.integer({ min: 4_000, max: 600_000 });
  await fc.assert(
    fc.asyncProperty(size, piece, piece, async (bytes, written, read) => {
      const data = randomBytes(bytes);
      expect(await decrypt(await encrypt(data, written), { size: read })).toEqual(data);
    }),
    { numRuns: 30 },
  );
});

test('a byte that is changed anywhere is noticed', async () => {
  const encrypted = await encrypt(randomBytes(frameBytes + 100));
  await fc.assert(
    fc.asyncProperty(fc.nat(encrypted.length - 1), fc.integer({ min: 1, max: 255 }), async (at, difference) => {
      const changed = Buffer.from(encrypted);
      changed.writeUInt8(changed.readUInt8(at) ^ difference, at);
      await expect(decrypt(changed)).rejects.toThrow();
    }),
    { numRuns: 40 },
  );
});

test('a file that is cut, also between two frames, or lengthened does not open', async () => {
  const encrypted = await encrypt(randomBytes(2 * frameBytes + 100));
  const frame = 4 + frameBytes + 16;
  for (const end of [0, 10, 32, 32 + frame, 32 + 2 * frame, encrypted.length - 1])
    await expect(decrypt(encrypted.subarray(0, end))).rejects.toThrow();
  await expect(decrypt(Buffer.concat([encrypted, Buffer.alloc(1)]))).rejects.toThrow('damaged');
});

test('frames that change places do not open', async () => {
  const encrypted = await encrypt(randomBytes(3 * frameBytes));
  const frame = 4 + frameBytes + 16;
  const [head, one, two, rest] = [0, 32, 32 + frame, 32 + 2 * frame].map((at, index, all) =>
    encrypted.subarray(at, all[index + 1]),
  ) as [Buffer, Buffer, Buffer, Buffer];
  await expect(decrypt(Buffer.concat([head, two, one, rest]))).rejects.toThrow('damaged');
});

test('another key or another name does not open a file', async () => {
  const encrypted = await encrypt(Buffer.from('a secret'));
  await expect(decrypt(encrypted, { by: randomBytes(32) })).rejects.toThrow('damaged');
  await expect(decrypt(encrypted, { name: 'b' })).rejects.toThrow('damaged');
});

test('the same data never encrypts to the same bytes twice', async () => {
  const data = Buffer.from('a secret');
  expect((await encrypt(data)).subarray(32)).not.toEqual((await encrypt(data)).subarray(32));
});
