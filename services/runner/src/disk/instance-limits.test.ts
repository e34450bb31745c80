import { bytesPerMb } from '@berth/contract/node';
import { expect, test } from 'vitest';
import { containerLabels } from '../driver/driver.ts';
import { instanceLimits } from './instance-limits.ts';

const operator = { limits: { bytes: 1_000 * bytesPerMb, files: 500 }, gvisorBytes: 800 * bytesPerMb };
const limitsOf = (isolation: 'runc' | 'gvisor', diskMb?: string) =>
  instanceLimits({ labels: diskMb === undefined ? {} : { [containerLabels.diskMb]: diskMb }, isolation }, operator);

test('an instance without a limit of its own has that of the operator, and on gVisor the layer in addition', () => {
  expect(limitsOf('runc')).toEqual({ ...operator.limits, isOwn: false });
  expect(limitsOf('gvisor')).toEqual({ bytes: 1_800 * bytesPerMb, files: 500, isOwn: false });
});

test('a limit of its own is the same on both classes, layer included', () => {
  for (const isolation of ['runc', 'gvisor'] as const)
    expect(limitsOf(isolation, '64')).toEqual({ bytes: 64 * bytesPerMb, files: 500, isOwn: true });
});

test.each(['1000', '99999', '0', '-5', 'many', '', 'NaN', 'Infinity'])(
  'a label of %j never raises the limit of the operator',
  (diskMb) => {
    for (const isolation of ['runc', 'gvisor'] as const)
      expect(limitsOf(isolation, diskMb)).toEqual(limitsOf(isolation));
  },
);
