import fc from 'fast-check';
import { expect, test } from 'vitest';
import { judge, type Writer } from './verdict.ts';

const limits = { bytes: 1_000_000_000, files: 100_000 };
const none = { bytes: 0, files: 0 };
const amount = fc.record({ bytes: fc.nat(2e9), files: fc.nat(200_000) });
const writers: fc.Arbitrary<Writer[]> = fc.uniqueArray(
  fc.record({ instance: fc.nat(20).map(String), amount, grown: amount, limits: fc.constant(limits) }),
  { selector: ({ instance }) => instance },
);
const shortages = fc.record({ bytes: fc.integer({ min: -1e9, max: 1e9 }), files: fc.integer({ min: -1e6, max: 1e6 }) });
const isBeyond = ({ amount: { bytes, files } }: Writer) => bytes > limits.bytes || files > limits.files;

test('whoever is beyond a limit goes, and nobody else while the disk has room', () => {
  fc.assert(
    fc.property(writers, (all) => {
      const ended = judge(all, none).map(({ instance }) => instance);
      expect(ended).toEqual(all.filter(isBeyond).map(({ instance }) => instance));
    }),
  );
});

test('when the disk is short somebody goes who wrote what is short, and who grew most, one at a time', () => {
  fc.assert(
    fc.property(writers, shortages, (all, shortage) => {
      const modest = all.filter((writer) => !isBeyond(writer));
      const ended = judge(modest, shortage);
      const of = shortage.bytes > 0 ? 'bytes' : 'files';
      const isShort = shortage.bytes > 0 || shortage.files > 0;
      const able = modest.filter((writer) => writer.amount[of] > 0);
      expect(ended).toHaveLength(isShort && able.length > 0 ? 1 : 0);
      const chosen = able.find(({ instance }) => instance === ended[0]?.instance);
      for (const other of able) if (chosen) expect(chosen.grown[of]).toBeGreaterThanOrEqual(other.grown[of]);
    }),
  );
});

test('the message says what happened and what to do', () => {
  const writer = (bytes: number, files: number) => ({ instance: 'a', amount: { bytes, files }, grown: none, limits });
  const [bytes] = judge([writer(2e9, 5)], none);
  expect(bytes?.failure).toEqual({
    code: 'disk_full',
    message:
      'It wrote more than the 954 MB that it may. It was ended and what it had written is gone. Write less, or keep large data in a drive or a volume.',
  });
  const [files] = judge([writer(5, 2e5)], none);
  expect(files?.failure.message).toContain('more than the 100000 files that it may');
  const [short] = judge([writer(5e6, 3)], { bytes: 1, files: 0 });
  expect(short?.failure.message).toContain('nearly full, and it had written most of late: 5 MB in 3 files');
  expect(short?.failure.message).toContain('Try again later');
});
