import { createLogger } from '@berth/telemetry';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { KeptSlots } from './kept-slots.ts';
import type { NetworkSlot } from './network-slot.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const slotOf = (containerId: string): NetworkSlot => ({ containerId, address: '100.96.0.9' });

function keepSlots(restore: (slot: NetworkSlot) => Promise<boolean> = async () => true) {
  const removed: string[] = [];
  const remove = async ({ containerId }: NetworkSlot) => {
    removed.push(containerId);
  };
  return {
    removed,
    kept: new KeptSlots({ logger: createLogger({ role: 'runner' }, { level: 'silent' }), restore, remove }),
  };
}

test('a slot is given out once, to its own workspace, and is then not removed', async () => {
  const { kept, removed } = keepSlots();
  kept.keep('a', slotOf('one'));
  expect(await kept.take('b')).toBeUndefined();
  expect(await kept.take('a')).toEqual(slotOf('one'));
  expect(await kept.take('a')).toBeUndefined();
  vi.advanceTimersByTime(60_000);
  expect(removed).toEqual([]);
});

test('a slot that no instance takes is removed', async () => {
  const { kept, removed } = keepSlots();
  kept.keep('a', slotOf('one'));
  vi.advanceTimersByTime(60_000);
  expect(removed).toEqual(['one']);
  expect(await kept.take('a')).toBeUndefined();
});

test('a slot that cannot be restored is removed, and the next one is tried', async () => {
  const { kept, removed } = keepSlots(async ({ containerId }) => {
    if (containerId === 'ended') throw new Error('ENOENT');
    return containerId === 'clean';
  });
  for (const id of ['ended', 'changed', 'clean']) kept.keep('a', slotOf(id));
  expect(await kept.take('a')).toEqual(slotOf('clean'));
  expect(removed).toEqual(['ended', 'changed']);
});

test('closing removes all slots, and those that come later', async () => {
  const { kept, removed } = keepSlots();
  kept.keep('a', slotOf('one'));
  await kept.close();
  kept.keep('a', slotOf('two'));
  expect(removed).toEqual(['one', 'two']);
});

test('the number of kept slots is bounded', () => {
  const { kept, removed } = keepSlots();
  for (let index = 0; index < 100; index += 1) kept.keep('a', slotOf(String(index)));
  expect(removed.length).toBeGreaterThan(50);
});
