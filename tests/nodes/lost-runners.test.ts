import { afterAll, beforeAll, expect, test } from 'vitest';
import { Bed } from './bed.ts';

let bed: Bed;
beforeAll(async () => {
  bed = await Bed.start(3);
});
afterAll(() => bed[Symbol.asyncDispose]());

test('a silent runner is given up, one that speaks is not, and a returning one is told to remove what it held', async () => {
  const [silent, speaking] = [await bed.join(), await bed.join()];
  const streams = [await silent.connect(), await speaking.connect()] as const;
  const { id, resourceUid } = await bed.place(silent.identity.runnerId);
  const { id: kept } = await bed.place(speaking.identity.runnerId);
  // The last one may be cut off by the end of the test.
  const beating = setInterval(() => void speaking.heartbeat(streams[1].session).catch(() => {}), 500);
  try {
    const status = async () => (await bed.runner(silent.identity.runnerId)).status;
    await expect.poll(status, { timeout: 15_000, interval: 200 }).toBe('lost');
    expect(await bed.instance(id)).toMatchObject({ state: 'lost', ended_at: expect.any(Date) });
    expect(await bed.runner(silent.identity.runnerId)).toMatchObject({ reserved_mb: 0 });
    expect(await bed.reconciles(resourceUid)).toBe(1);
    expect(await bed.instance(kept)).toMatchObject({ state: 'placed', ended_at: null });
    expect(await bed.runner(speaking.identity.runnerId)).toMatchObject({ status: 'up' });

    // The stream was open all the while: the machine hears that it must remove what it held.
    expect(await streams[0].next()).toMatchObject({ type: 'all' });
    expect(await silent.heartbeat(streams[0].session)).toBe(200);
    expect(await status()).toBe('up');
    const messages = [await streams[0].next(), await streams[0].next()];
    expect(messages).toContainEqual({ type: 'unset', id, isLeaving: false });
    const late = { instance: id, sequence: 1, state: 'ready', starts: 1 } as const;
    await silent.report(streams[0].session, late);
    expect((await bed.instance(id)).state).toBe('lost');
  } finally {
    clearInterval(beating);
  }
});
