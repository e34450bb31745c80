// The longest wait through MCP, on fake timers: in real time it takes a minute
// (services/guest/test/e2e/long-streams.test.ts).
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { waitForProcess } from '../src/mcp/wait-for-process.ts';

type Started = Parameters<typeof waitForProcess>[0];

const endless = { ended: () => new Promise<never>(() => undefined), isTimedOut: () => false } as unknown as Started;
const { signal } = new AbortController();

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test.each([0, 90])(
  'a wait of %i seconds ends after 58, before a proxy gives up, and is no failure',
  async (seconds) => {
    const outcomes: boolean[] = [];
    const waiting = waitForProcess(endless, { ports: [], completion: true, timeoutSeconds: seconds }, signal).then(
      (isDone) => outcomes.push(isDone),
    );
    await vi.advanceTimersByTimeAsync(57_999);
    expect(outcomes).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await waiting;
    expect(outcomes).toEqual([false]);
  },
);
