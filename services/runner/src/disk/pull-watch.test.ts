import { bytesPerMb } from '@berth/contract/node';
import { createLogger } from '@berth/telemetry';
import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import type { PullFailed } from '../driver/driver.ts';
import type { RunningPull } from '../images/shared-pulls.ts';
import { PullWatch, takenBytes } from './pull-watch.ts';

const logger = createLogger({ role: 'runner' }, { level: 'silent' });
const pullLimits = { downloadBytes: 1_000, unpackedBytes: bytesPerMb * 100 };

let aborted: { image: string; reason: PullFailed }[] = [];
let running: RunningPull[] = [];
const pull = (image: string): RunningPull => ({ image, abort: (reason) => aborted.push({ image, reason }) });
const open = () => new PullWatch({ pullLimits, runningPulls: () => running, onPullAborted: () => {}, logger });
beforeEach(() => {
  aborted = [];
  running = [];
});

test('writes and removals of instances during a pull do not count for the pull', () => {
  const bytes = fc.nat(1e12);
  fc.assert(
    fc.property(bytes, bytes, bytes, fc.integer({ min: -1e9, max: 1e9 }), (free, pulled, written, grown) => {
      const now = { freeBytes: free - pulled - grown, writtenBytes: written + grown };
      expect(takenBytes({ freeBytes: free, writtenBytes: written }, now, 1)).toBe(pulled);
    }),
  );
});

test('a pull beyond the limit is aborted for good; the message names the limit and the next step', () => {
  const watch = open();
  running = [pull('huge')];
  watch.follow({ freeBytes: 500 * bytesPerMb, writtenBytes: 0 });
  watch.abortBeyond({ freeBytes: 400 * bytesPerMb, writtenBytes: 0 });
  expect(aborted).toEqual([]);
  watch.abortBeyond({ freeBytes: 399 * bytesPerMb, writtenBytes: 0 });
  expect(aborted).toMatchObject([{ image: 'huge', reason: { fault: 'too_large' } }]);
  expect(aborted[0]?.reason.message).toMatch(/100 MB .*Use a smaller image.*runner\.imageMaxUnpackedMb/);
});

test('a pull counts from its own beginning, and concurrent pulls share a loss', () => {
  const watch = open();
  running = [pull('first')];
  watch.follow({ freeBytes: 500 * bytesPerMb, writtenBytes: 0 });
  running = [...running, pull('second')];
  watch.follow({ freeBytes: 410 * bytesPerMb, writtenBytes: 0 });
  expect(watch.beyond({ freeBytes: 310 * bytesPerMb, writtenBytes: 0 })).toEqual([]);
  expect(watch.beyond({ freeBytes: 290 * bytesPerMb, writtenBytes: 0 }).map(({ image }) => image)).toEqual(['first']);
});

test('when the disk is short every pull is aborted, and may be tried again later', () => {
  running = [pull('one'), pull('two')];
  expect(open().abortAll(4)).toBe(2);
  expect(aborted.map(({ image, reason }) => [image, reason.fault])).toEqual([
    ['one', 'no_room'],
    ['two', 'no_room'],
  ]);
});
