import { bytesPerMb } from '@berth/contract/node';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cpuSettings, memorySettings } from './limits.ts';

test('with version 1 memory is at no moment more than memory and swap together', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 1, max: 100_000 }), (beforeMb, afterMb) => {
      const now = {
        'memory.limit_in_bytes': beforeMb * bytesPerMb,
        'memory.memsw.limit_in_bytes': beforeMb * bytesPerMb,
      };
      for (const { file, value } of memorySettings({ version: 1 }, afterMb, beforeMb * bytesPerMb)) {
        Object.assign(now, { [file]: Number(value) });
        expect(now['memory.limit_in_bytes']).toBeLessThanOrEqual(now['memory.memsw.limit_in_bytes']);
      }
      expect(Object.values(now)).toEqual([afterMb * bytesPerMb, afterMb * bytesPerMb]);
    }),
  );
});

test('with version 2 there is no swap beside the memory', () => {
  expect(memorySettings({ version: 2 }, 512, Number.POSITIVE_INFINITY)).toEqual([
    { file: 'memory.swap.max', value: '0', isOptional: true },
    { file: 'memory.max', value: String(512 * bytesPerMb) },
  ]);
});

test('cores set the quota, all cores mean no quota, and memory sets the weight', () => {
  expect(cpuSettings({ version: 1 }, { memoryMb: 4096, cpus: 1.5 })).toEqual([
    { file: 'cpu.cfs_period_us', value: '5000' },
    { file: 'cpu.cfs_quota_us', value: '7500' },
    { file: 'cpu.shares', value: '4096' },
  ]);
  const [quota, weight] = cpuSettings({ version: 2 }, { memoryMb: 1_000_000, cpus: 2 });
  expect([quota?.value, weight?.value]).toEqual(['10000 5000', '10000']);
  const all = { memoryMb: 4096, cpus: undefined };
  expect(cpuSettings({ version: 1 }, all)).toContainEqual({ file: 'cpu.cfs_quota_us', value: '-1' });
  expect(cpuSettings({ version: 2 }, all)).toContainEqual({ file: 'cpu.max', value: 'max 5000' });
});
