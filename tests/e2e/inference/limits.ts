// Timeouts, far shorter than the defaults. Durations are measured by counting events, which the workload sends at its
// own pace: no clock of this process is read.
import { once } from 'node:events';
import { request as send } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { callerTo } from './caller.ts';
import type { Site } from './site.ts';

const totalSeconds = 6;
const silentSeconds = 1.5;
/** Longer than any limit and than the test. */
const foreverMs = 600_000;

export const hastySettings = {
  BERTH_GATEWAY_TIMEOUTS_TOTAL_SECONDS: String(totalSeconds),
  BERTH_GATEWAY_TIMEOUTS_SILENT_SECONDS: String(silentSeconds),
};

export function limitTests(site: () => Site): void {
  /** Number of events received, and whether the stream ended normally. */
  const readEvents = async (count: number, pauseMs: number) => {
    const { hasty, fleet } = site();
    const url = `${hasty.url}/main/agents/echo/events?count=${count}&pause=${pauseMs}`;
    const { body } = await fetch(url, { headers: { authorization: `Bearer ${fleet.key}` } });
    let events = '';
    let isWhole = true;
    try {
      for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) events += chunk;
    } catch {
      isWhole = false;
    }
    return { arrived: events.split('\n\n').length - 1, isWhole };
  };
  const hastyCall = (target: string) => callerTo({ ...site().hasty, key: site().fleet.key })(target);

  // In parallel, because each of these tests mostly waits.
  describe.concurrent('side by side', () => {
    test('a stream that moves outlives the limit of silence', async () => {
      const pauseMs = 250;
      const count = Math.ceil((2 * silentSeconds * 1_000) / pauseMs);
      expect(await readEvents(count, pauseMs)).toEqual({ arrived: count, isWhole: true });
    });

    test('a stream that falls silent is cut', async () => {
      expect(await readEvents(2, foreverMs)).toEqual({ arrived: 1, isWhole: false });
    });

    test('a workload that says nothing at all: 504, and whose fault it is', async () => {
      const { status, headers, body } = await hastyCall(`/main/agents/echo/x?delay=${foreverMs}`);
      expect([status, headers['x-service-source'], body.error.code]).toEqual([504, 'platform', 'WORKLOAD_TIMEOUT']);
    });

    test('a client that stops within its upload: 408, and the workload is not blamed', async () => {
      const { hasty, fleet } = site();
      const headers = { authorization: `Bearer ${fleet.key}`, 'content-length': '10' };
      const outgoing = send(`${hasty.url}/main/agents/echo/upload`, { method: 'POST', headers });
      outgoing.write('short');
      const [incoming] = await once(outgoing, 'response');
      const { error } = JSON.parse(await text(incoming));
      expect([incoming.statusCode, error.code, error.origin]).toEqual([408, 'REQUEST_TIMEOUT', 'platform']);
      outgoing.destroy();
    });

    test('a stream that moves for ever is ended by the limit in all', async () => {
      const pauseMs = 250;
      const { arrived, isWhole } = await readEvents(foreverMs / pauseMs, pauseMs);
      expect(isWhole).toBe(false);
      // At most the limit's worth of events, and at least a third: a machine under load sends fewer of them.
      const most = (totalSeconds * 1_000) / pauseMs;
      expect(arrived).toBeGreaterThan(most / 3);
      expect(arrived).toBeLessThanOrEqual(most + 1);
    });
  });

  test('and none of them is still at the workload', async () => {
    await expect.poll(async () => (await site().call('/main/agents/echo/standing')).body.open).toBe(0);
  });
}
