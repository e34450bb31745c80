import { duplexPair } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { join } from './join.ts';
import { startTally } from './outcome.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

test('after the client has ended, each chunk of the workload restarts the time for the next', async () => {
  const [client, clientEnd] = duplexPair();
  const [upstream, workload] = duplexPair();
  const settle = vi.fn();
  join({
    ...{ client: clientEnd, upstream, tally: startTally(), settle, halfClosedMs: 1_000 },
    timer: { touch: () => {}, stop: () => {} },
  });
  let heard = '';
  client.on('data', (chunk) => {
    heard += chunk;
  });
  client.end();
  for (const word of ['1;', '2;', '3;']) {
    await vi.advanceTimersByTimeAsync(900);
    workload.write(word);
    await vi.advanceTimersByTimeAsync(0);
  }
  expect(heard).toBe('1;2;3;');
  await vi.advanceTimersByTimeAsync(999);
  expect(upstream.destroyed).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(upstream.destroyed).toBe(true);
});
