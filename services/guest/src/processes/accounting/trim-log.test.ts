import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readRecords } from '../output/log-records.ts';
import { OutputLog } from '../output/output-log.ts';
import { trimLog } from './trim-log.ts';

const record = (text: string) => Buffer.concat([Buffer.from([1, text.length, 0, 0, 0]), Buffer.from(text)]);

test('R-03 a trimmed log keeps its newest bytes under their old offsets, cut between two records', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          text: fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 20 }),
          newFile: fc.boolean(),
        }),
        {
          minLength: 1,
          maxLength: 20,
        },
      ),
      fc.nat(200),
      (pieces, keep) => {
        const folder = mkdtempSync(join(tmpdir(), 'release-head-'));
        try {
          const log = new OutputLog(folder, 'all');
          let at = 0;
          let start = 0;
          const places: number[] = [];
          for (const { text, newFile } of pieces) {
            if (newFile) start = at;
            places.push(at);
            writeFileSync(log.path(start), record(text), { flag: 'a' });
            at += text.length + 5;
          }
          const size = at;
          trimLog(log, 'all', keep);
          const kept: number[] = [];
          for (let found = readRecords(log, 0); found !== undefined; found = readRecords(log, found.next))
            kept.push(...found.records.map((one) => one.at));
          expect(kept).toEqual(places.filter((place) => place >= size - keep));
          expect(log.keptBytes()).toBeLessThanOrEqual(keep);
          expect(log.extent().end).toBe(size);
        } finally {
          rmSync(folder, { recursive: true });
        }
      },
    ),
    { numRuns: 60 },
  );
});
