import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { pullUntilThere } from './pull-image.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a pull that outlives its instance reports no more progress', async () => {
  const said: string[] = [];
  const wanted = new AbortController();
  const pulled = pullUntilThere({
    // A registry that never answers.
    images: { ensure: () => new Promise(() => {}) },
    request: { image: 'registry.example/app:1' },
    signal: wanted.signal,
    report: (message) => void said.push(message),
  });
  await vi.advanceTimersByTimeAsync(300);
  expect(said).toEqual(['Pulling registry.example/app:1.']);
  wanted.abort();
  expect(await pulled).toBeUndefined();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(said).toHaveLength(1);
});
