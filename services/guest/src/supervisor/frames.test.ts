import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeFrame, encodeSpawn, FrameDecoder, type FrameFromHelper } from './frames.ts';

const processKey = 'abcdefgh01234567';

/** A frame as the helper writes it. */
function fromHelper(type: string, payload: Buffer): Buffer {
  const head = Buffer.alloc(21);
  head.writeUInt32LE(17 + payload.length);
  head.write(type, 4, 'latin1');
  head.write(processKey, 5, 'latin1');
  return Buffer.concat([head, payload]);
}

function record(pid: number, ends: number[], exit: [number, number, number]): Buffer {
  const bytes = Buffer.alloc(39);
  bytes.writeUInt32LE(pid);
  for (const [index, value] of [77, ...ends].entries()) bytes.writeBigUInt64LE(BigInt(value), 4 + 8 * index);
  bytes.set(exit, 36);
  return bytes;
}

test('frames that are cut anywhere are decoded like whole ones', () => {
  const sent = Buffer.concat([
    fromHelper('r', record(12, [1, 2, 3], [0, 0, 0])),
    fromHelper('y', Buffer.alloc(0)),
    fromHelper('s', Buffer.concat([Buffer.from([0, 0, 0, 0, 0]), record(13, [0, 0, 0], [0, 0, 0])])),
    fromHelper('s', Buffer.concat([Buffer.from([1, 2, 0, 0, 0]), record(0, [0, 0, 0], [0, 0, 0])])),
    fromHelper('w', Buffer.from([1])),
    fromHelper('x', record(13, [5, 6, 2 ** 40], [2, 137, 9])),
  ]);
  const expected: FrameFromHelper[] = [
    {
      type: 'record',
      record: {
        key: processKey,
        pid: 12,
        startTicks: 77,
        ends: { stdout: 1, stderr: 2, all: 3 },
        exit: undefined,
        isSettled: false,
      },
    },
    { type: 'ready' },
    {
      type: 'spawned',
      key: processKey,
      outcome: {
        key: processKey,
        pid: 13,
        startTicks: 77,
        ends: { stdout: 0, stderr: 0, all: 0 },
        exit: undefined,
        isSettled: false,
      },
    },
    { type: 'spawned', key: processKey, outcome: { stage: 'folder', errno: 2 } },
    { type: 'written', key: processKey, ok: true },
    {
      type: 'exit',
      record: {
        key: processKey,
        pid: 13,
        startTicks: 77,
        ends: { stdout: 5, stderr: 6, all: 2 ** 40 },
        exit: { code: 137, signal: 9 },
        isSettled: true,
      },
    },
  ];
  fc.assert(
    fc.property(fc.array(fc.nat(sent.length), { maxLength: 20 }), (cuts) => {
      const decoder = new FrameDecoder();
      const edges = [0, ...cuts.toSorted((a, b) => a - b), sent.length];
      const frames = edges.slice(1).flatMap((end, index) => [...decoder.decode(sent.subarray(edges[index], end))]);
      expect(frames).toEqual(expected);
    }),
  );
});

test('a malformed frame is an error and never makes the decoder wait for gigabytes', () => {
  expect(() => [...new FrameDecoder().decode(Buffer.from([255, 255, 255, 255]))]).toThrow(/frame of/);
  expect(() => [...new FrameDecoder().decode(fromHelper('?', Buffer.alloc(0)))]).toThrow(/unknown type/);
});

test('a spawn frame holds its numbers, then every text ended by NUL', () => {
  const frame = encodeSpawn(processKey, {
    args: ['sh', '-c', 'echo "ä"'],
    env: { A: '1', B: 'two\nlines' },
    workingDirectory: '/w',
    logFolder: '/logs/1',
    maxLogBytes: 1024,
    input: { cols: 80, rows: 24 },
  });
  const payload = frame.subarray(21);
  expect([payload[0], payload.readUInt16LE(1), payload.readUInt16LE(3)]).toEqual([2, 80, 24]);
  expect([payload.readBigUInt64LE(5), payload.readUInt32LE(13), payload.readUInt32LE(17)]).toEqual([1024n, 3, 2]);
  expect(payload.subarray(21).toString().split('\0')).toEqual([
    '/logs/1',
    '/w',
    'sh',
    '-c',
    'echo "ä"',
    'A=1',
    'B=two\nlines',
    '',
  ]);
  expect(frame.readUInt32LE()).toBe(frame.length - 4);
});

test('a frame is not encoded for a key of the wrong length', () => {
  expect(() => encodeFrame('E', 'short')).toThrow(/16 characters/);
});
