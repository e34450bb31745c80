import { bytesPerMb } from '@berth/contract';
import type { LogLine } from '@berth/contract/node';
import { expect, test } from 'vitest';
import { withinDay } from './within-day.ts';

const lines = (count: number, size = 936): LogLine[] =>
  Array.from({ length: count }, (_, sequence) => ({ sequence, timeNs: '1', stream: 'stdout', text: 'x'.repeat(size) }));

test('lines within the daily limit are kept unchanged', () => {
  expect(withinDay(lines(10), 0, 10_000)).toEqual({ kept: lines(10), bytes: 10_000, droppedBytes: 0 });
});

test('the first dropped line becomes a note with the limit and the number of bytes; further dropped lines add no note', () => {
  const { kept, bytes, droppedBytes } = withinDay(lines(10), 7_000, 10_000);
  expect([kept.length, bytes, droppedBytes]).toEqual([4, 10_000, 7_000]);
  expect(kept[3]).toMatchObject({
    sequence: 3,
    text: expect.stringMatching(/10000 bytes .*logBytesPerDay.*: 1000 bytes were dropped/),
  });
  expect(withinDay(lines(10), 17_000, 10_000)).toMatchObject({ kept: [], droppedBytes: 10_000 });
});

test('a continuing flood has one note for every 16 MiB of dropped output', () => {
  const { kept } = withinDay(lines(1_000), 10_000 + 16 * bytesPerMb - 500_000, 10_000);
  expect(kept).toMatchObject([{ text: expect.stringContaining('were dropped so far') }]);
});
