import { expect, test } from 'vitest';
import { PullProgress } from './pull-progress.ts';

test('the progress is the sum of all layers, and a finished layer counts in full', () => {
  const progress = new PullProgress();
  const downloading = (id: string, current: number, total: number) =>
    progress.take({ id, status: 'Downloading', progressDetail: { current, total } });
  expect(progress.take({ id: '1', status: 'Pulling from app' })).toBeUndefined();
  expect(downloading('a', 10, 100)).toEqual({ done: 10, total: 100 });
  expect(downloading('b', 5, 50)).toEqual({ done: 15, total: 150 });
  expect(progress.take({ id: 'a', status: 'Download complete' })).toEqual({ done: 105, total: 150 });
  expect(progress.take({ id: 'a', status: 'Extracting', progressDetail: { current: 1, total: 300 } })).toBeUndefined();
  expect(progress.take({ status: 'Status: Downloaded newer image for app:1' })).toBeUndefined();
});

test('a layer that is being unpacked counts as downloaded, even without an earlier event', () => {
  const progress = new PullProgress();
  progress.take({ id: 'a', status: 'Downloading', progressDetail: { current: 3, total: 100 } });
  const extracting = { id: 'a', status: 'Extracting', progressDetail: { current: 1, total: 300 } };
  expect(progress.take(extracting)).toEqual({ done: 100, total: 100 });
  expect(progress.take(extracting)).toBeUndefined();
  progress.take({ id: 'b', status: 'Downloading', progressDetail: { current: 3, total: 50 } });
  expect(progress.take({ id: 'b', status: 'Pull complete' })).toEqual({ done: 150, total: 150 });
});
