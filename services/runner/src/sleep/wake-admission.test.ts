import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { WakeAdmission } from './wake-admission.ts';

/** A machine with `freeMb` of free memory, on which every relief frees `freedMb` more. */
function machine(freeMb: number, freedMb: number) {
  const seen = { freeMb, reliefs: 0 };
  const admission = new WakeAdmission({
    reserveMb: 512,
    freeMemoryMb: () => seen.freeMb,
    async freeMemory(isShort) {
      seen.reliefs += 1;
      await sleep(5);
      if (isShort()) seen.freeMb += freedMb;
    },
  });
  return { seen, admission };
}

test('with enough free memory a wake is admitted at once, and no sandbox is put to sleep for it', async () => {
  const { seen, admission } = machine(512, 0);
  expect(admission.isShort).toBe(false);
  expect(await admission.admit()).toEqual({ is: 'admitted' });
  expect(seen.reliefs).toBe(0);
});

test('when memory is short, it is freed first, once for all waiting callers', async () => {
  const { seen, admission } = machine(100, 500);
  expect(admission.isShort).toBe(true);
  const admitted = await Promise.all(Array.from({ length: 50 }, () => admission.admit()));
  expect(new Set(admitted.map(({ is }) => is))).toEqual(new Set(['admitted']));
  expect(seen.reliefs).toBe(1);
});

test('when no memory can be freed, the answer is busy with a retry time, and the next call tries again', async () => {
  const { seen, admission } = machine(100, 300);
  expect(await admission.admit()).toEqual({ is: 'busy', retryAfterSeconds: expect.any(Number) });
  expect(await admission.admit()).toEqual({ is: 'admitted' });
  expect(seen.reliefs).toBe(2);
});
