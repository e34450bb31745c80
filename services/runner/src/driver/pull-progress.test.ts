import { expect, test } from 'vitest';
import { PullProgress } from './pull-progress.ts';

test('layers are added up, and a finished one counts in full', () => {
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
