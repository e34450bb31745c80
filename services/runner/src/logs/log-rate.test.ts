import type { LogLine } from '@berth/contract/node';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LogRate } from './log-rate.ts';

const bytesPerSecond = 10_000;
const start = Date.parse('2026-01-02T03:04:05Z');
const lineAt = (sequence: number, ms: number, size: number): LogLine => ({
  sequence,
  timeNs: `${BigInt(start + ms) * 1_000_000n}`,
  stream: 'stdout',
  text: 'x'.repeat(size),
});
const isNote = ({ text }: LogLine): boolean => text.startsWith('[');
const bytesOf = (lines: readonly LogLine[]): number =>
  lines.filter((line) => !isNote(line)).reduce((sum, { text }) => sum + text.length + 64, 0);

test('a flood is limited to the rate; each gap has a note with the number of bytes and the name of the limit, and all bytes are accounted for', () => {
  const size = fc.integer({ min: 0, max: 3_000 });
  const step = fc.integer({ min: 0, max: 60 });
  const flood = fc.array(fc.record({ size, step }), { minLength: 1, maxLength: 600 });
  fc.assert(
    fc.property(flood, fc.integer({ min: 1, max: 200 }), (written, batch) => {
      let dropped = 0;
      const rate = new LogRate({
        bytesPerSecond,
        onDropped: (bytes) => {
          dropped += bytes;
        },
      });
      let ms = 0;
      const lines = written.map(({ size: chars, step: later }, index) => {
        ms += later;
        return lineAt(index, ms, chars);
      });
      const sent: LogLine[] = [];
      for (let at = 0; at < lines.length; at += batch)
        sent.push(...rate.limit(lines.slice(at, at + batch), at + batch >= lines.length));
      expect(bytesOf(sent)).toBeLessThanOrEqual((bytesPerSecond * (10_000 + ms)) / 1_000);
      const noted = sent.filter(isNote).map(({ text }) => Number(/\d+/.exec(text)?.[0]));
      expect(noted.reduce((sum, bytes) => sum + bytes, 0)).toBe(dropped);
      expect(bytesOf(sent) + dropped).toBe(bytesOf(lines));
      const sequences = sent.map(({ sequence }) => sequence);
      expect(sequences).toEqual([...new Set(sequences)].toSorted((left, right) => left - right));
      for (const note of sent.filter(isNote)) expect(note.text).toContain('runner.logBytesPerSecond');
    }),
  );
});

test('output that is written slowly passes whole, however late it is sent', () => {
  const rate = new LogRate({ bytesPerSecond, onDropped: () => expect.fail('nothing is dropped') });
  const lines = Array.from({ length: 5_000 }, (_, index) => lineAt(index, index * 100, 900));
  expect(rate.limit(lines, true)).toEqual(lines);
});

test('a flood that lasts leaves about one note a second, not one a line', () => {
  const rate = new LogRate({ bytesPerSecond, onDropped: () => {} });
  const lines = Array.from({ length: 60_000 }, (_, index) => lineAt(index, index, 900));
  expect(rate.limit(lines, true).filter(isNote).length).toBeLessThan(130);
});
