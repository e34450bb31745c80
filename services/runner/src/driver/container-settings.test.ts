import { expect, test } from 'vitest';
import { containerSettings } from './container-settings.ts';
import type { ContainerSpec } from './driver.ts';

const wish: ContainerSpec = {
  name: 'berth-1',
  image: 'example/job:1',
  labels: {},
  isolation: 'runc',
  env: {},
  memoryMb: 128,
  cpus: 1,
  networkOf: 'slot',
};
const offer = { cores: 2, runtimes: { runc: 'runc', gvisor: 'runsc' } };

test('volumes in memory have their size, and every user may write to those that are not read-only', () => {
  const memoryVolumes = { '/scratch': { sizeMb: 64, readOnly: false }, '/fixed': { sizeMb: 1, readOnly: true } };
  expect(containerSettings({ ...wish, memoryVolumes }, offer).HostConfig?.Tmpfs).toEqual({
    '/scratch': 'rw,exec,nosuid,nodev,mode=1777,size=64m',
    '/fixed': 'ro,exec,nosuid,nodev,mode=1777,size=1m',
  });
  expect(containerSettings(wish, offer).HostConfig?.Tmpfs).toEqual({});
});
