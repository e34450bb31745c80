// The limits of time, a sixtieth of those that a deployment begins with.
import { once } from 'node:events';
import { request as send } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { callerTo } from './caller.ts';
import type { Site } from './site.ts';

const totalSeconds = 900 / 60;
const silentSeconds = 100 / 60;

export const hastySettings = {
  BERTH_GATEWAY_TIMEOUTS_TOTAL_SECONDS: String(totalSeconds),
  BERTH_GATEWAY_TIMEOUTS_SILENT_SECONDS: String(silentSeconds),
};

export function limitTests(site: () => Site): void {
  /** How many events came, how long that took, and whether the stream ended as its sender ended it. */
  const readEvents = async (count: number, pauseMs: number) => {
    const { hasty, fleet } = site();
    const url = `${hasty.url}/main/agents/echo/events?count=${count}&pause=${pauseMs}`;
    const { body } = await fetch(url, { headers: { authorization: `Bearer ${fleet.key}` } });
    const startedAt = performance.now();
    let events = '';
    let isWhole = true;
    try {
      for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) events += chunk;
    } catch {
      isWhole = false;
    }
    return { arrived: events.split('\n\n').length - 1, seconds: (performance.now() - startedAt) / 1_000, isWhole };
  };
  const hastyCall = (target: string) => callerTo({ ...site().hasty, key: site().fleet.key })(target);

  // Side by side, because each of them mostly waits.
  describe.concurrent('side by side', () => {
    test('a stream that moves outlives the limit of silence', async () => {
      const { arrived, seconds, isWhole } = await readEvents(6, 800);
      expect([arrived, isWhole]).toEqual([6, true]);
      expect(seconds).toBeGreaterThan(2 * silentSeconds);
    });

    test('a stream that falls silent is cut', async () => {
      const { arrived, seconds, isWhole } = await readEvents(2, 8_000);
      expect([arrived, isWhole]).toEqual([1, false]);
      expect(seconds).toBeGreaterThan(silentSeconds - 0.1);
      expect(seconds).toBeLessThan(silentSeconds + 3);
    });

    test('a workload that says nothing at all: 504, and whose fault it is', async () => {
      const startedAt = performance.now();
      const { status, headers, body } = await hastyCall('/main/agents/echo/x?delay=8000');
      const seconds = (performance.now() - startedAt) / 1_000;
      expect([status, headers['x-service-source'], body.error.code]).toEqual([504, 'platform', 'WORKLOAD_TIMEOUT']);
      expect(seconds).toBeGreaterThan(silentSeconds - 0.1);
      expect(seconds).toBeLessThan(silentSeconds + 3);
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
      const { arrived, seconds, isWhole } = await readEvents(60, 500);
      expect(isWhole).toBe(false);
      expect(arrived).toBeGreaterThan(20);
      // Its own clock began with the head of the answer, which may have been on its way for a while.
      expect(seconds).toBeGreaterThan(totalSeconds - 2);
      expect(seconds).toBeLessThan(totalSeconds + 3);
    });
  });

  test('and none of them is still at the workload', async () => {
    await expect
      .poll(async () => (await site().call('/main/agents/echo/standing')).body.open, { timeout: 10_000 })
      .toBe(0);
  });
}
