import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chooseToEnd, type Writer } from './choose-to-end.ts';

const limits = { bytes: 1_000_000_000, files: 100_000, isOwn: false };
const none = { bytes: 0, files: 0 };
const amount = fc.record({ bytes: fc.nat(2e9), files: fc.nat(200_000) });
const writers: fc.Arbitrary<Writer[]> = fc.uniqueArray(
  fc.record({
    instance: fc.nat(20).map(String),
    workspace: fc.constantFrom('a', 'b', 'c', undefined),
    amount,
    grown: amount,
    lost: amount,
    limits: fc.constant(limits),
  }),
  { selector: ({ instance }) => instance },
);
const shortages = fc.record({ bytes: fc.integer({ min: -1e9, max: 1e9 }), files: fc.integer({ min: -1e6, max: 1e6 }) });
const isBeyond = ({ amount: { bytes, files } }: Writer) => bytes > limits.bytes || files > limits.files;
const within = (all: readonly Writer[]) => all.filter((writer) => !isBeyond(writer));

/** Part of the loss that the workspace of an instance explains. */
function shareOf(all: readonly Writer[], chosen: Writer, of: 'bytes' | 'files'): number {
  const isSame = ({ workspace, instance }: Writer) =>
    chosen.workspace === undefined ? instance === chosen.instance : workspace === chosen.workspace;
  const share = ({ grown, lost }: Writer) => (lost[of] === 0 ? 0 : Math.min(1, grown[of] / lost[of]));
  return all.filter(isSame).reduce((sum, writer) => sum + share(writer), 0);
}

test('an instance beyond a limit is ended, and no other while the disk has room', () => {
  fc.assert(
    fc.property(writers, (all) => {
      const ended = chooseToEnd(all, none).map(({ instance }) => instance);
      expect(ended).toEqual(all.filter(isBeyond).map(({ instance }) => instance));
    }),
  );
});

test('an instance within its limit is ended only in a workspace whose growth explains most of the loss, one at a time', () => {
  fc.assert(
    fc.property(writers, shortages, (all, shortage) => {
      const modest = within(all);
      const [ended, ...others] = chooseToEnd(modest, shortage);
      expect(others).toEqual([]);
      const short = (['bytes', 'files'] as const).filter((of) => shortage[of] > 0);
      const explained = (writer: Writer) => short.filter((of) => shareOf(modest, writer, of) > 0.5);
      const chosen = modest.find(({ instance }) => instance === ended?.instance);
      expect(chosen === undefined).toBe(!modest.some((writer) => explained(writer).length > 0));
      if (chosen === undefined) return;
      const [of = 'bytes'] = explained(chosen);
      const neighbours = modest.filter(({ workspace }) => workspace !== undefined && workspace === chosen.workspace);
      for (const neighbour of neighbours) expect(chosen.grown[of]).toBeGreaterThanOrEqual(neighbour.grown[of]);
    }),
  );
});

test('no instance is ended for a loss that instances have not caused, such as an image that is unpacked', () => {
  fc.assert(
    fc.property(writers, shortages, (all, shortage) => {
      // For any amounts and growth, something else took more than all instances together.
      const grownByAll = all.reduce((sum, { grown }) => sum + grown.bytes + grown.files, 1);
      const lost = { bytes: 2 * grownByAll, files: 2 * grownByAll };
      expect(
        chooseToEnd(
          within(all).map((writer) => ({ ...writer, lost })),
          shortage,
        ),
      ).toEqual([]);
    }),
  );
});

test('instances of one workspace that fill the disk together count as one; an unrelated instance that holds more is not ended', () => {
  const lost = { bytes: 1_000, files: 10 };
  const writer = (instance: string, workspace: string, bytes: number, grown: number): Writer => ({
    ...{ instance, workspace, lost, limits },
    amount: { bytes, files: 1 },
    grown: { bytes: grown, files: 0 },
  });
  const crowd = Array.from({ length: 10 }, (_, index) => writer(`crowd-${index}`, 'crowd', 100, 80 + index));
  const bystander = writer('bystander', 'other', 900_000, 150);
  expect(chooseToEnd([bystander, ...crowd], { bytes: 1, files: 0 }).map(({ instance }) => instance)).toEqual([
    'crowd-9',
  ]);
  expect(chooseToEnd([bystander, ...crowd.slice(0, 5)], { bytes: 1, files: 0 })).toEqual([]);
});

test('the message says what happened and what to do', () => {
  const writer = (bytes: number, files: number) => ({
    ...{ instance: 'a', workspace: 'a', limits },
    amount: { bytes, files },
    grown: { bytes, files },
    lost: { bytes, files },
  });
  const [bytes] = chooseToEnd([writer(2e9, 5)], none);
  expect(bytes?.failure).toEqual({
    code: 'disk_full',
    message:
      'It wrote more than the 954 MB that it may. It was ended and what it had written is gone. Write less, or keep large data in a drive or a volume.',
  });
  const own = { limits: { ...limits, bytes: 16 * 2 ** 20, isOwn: true } };
  const [share] = chooseToEnd([{ ...writer(2e9, 5), ...own }], none);
  expect(share?.failure.message).toBe(
    'It wrote more than the 16 MB that it may. It was ended and what it had written is gone. Write less, or raise spec.runtime.diskPercent or spec.runtime.memory.',
  );
  const [crowded] = chooseToEnd([{ ...writer(5, 2e5), ...own }], none);
  expect(crowded?.failure.message).toContain('keep large data in a drive or a volume');
  const [files] = chooseToEnd([writer(5, 2e5)], none);
  expect(files?.failure.message).toContain('more than the 100000 files that it may');
  const [short] = chooseToEnd([writer(5e6, 3)], { bytes: 1, files: 0 });
  expect(short?.failure.message).toContain('nearly full, and it had written most of late: 5 MB in 3 files');
  expect(short?.failure.message).toContain('Try again later');
});
