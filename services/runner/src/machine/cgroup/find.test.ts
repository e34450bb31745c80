import { expect, test } from 'vitest';
import { cgroupIn } from './find.ts';

test('with version 1 each controller has a tree of its own', () => {
  const text = '9:name=systemd:/\n6:freezer:/docker/ab\n4:memory:/docker/ab\n2:cpu,cpuacct:/docker/ab\n0::/\n';
  expect(cgroupIn(text, 'freezer')).toEqual({ version: 1, folder: '/sys/fs/cgroup/freezer/docker/ab' });
  expect(cgroupIn(text, 'cpu')).toEqual({ version: 1, folder: '/sys/fs/cgroup/cpu/docker/ab' });
});

test('with version 2 there is one tree', () => {
  const expected = { version: 2, folder: '/sys/fs/cgroup/system.slice/docker-ab.scope' };
  expect(cgroupIn('0::/system.slice/docker-ab.scope\n', 'memory')).toEqual(expected);
});

test('a process in the root of the tree has no group that may be changed', () => {
  expect(cgroupIn('6:freezer:/\n0::/x\n', 'freezer')).toBeUndefined();
  expect(cgroupIn('0::/\n', 'memory')).toBeUndefined();
  expect(cgroupIn('', 'memory')).toBeUndefined();
});
