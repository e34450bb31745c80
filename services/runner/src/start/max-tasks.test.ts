import { expect, test } from 'vitest';
import { RunnerConfig } from '../config.ts';
import { maxTasks } from './max-tasks.ts';

test('a runner with gVisor takes 6 tasks per core, and 16 with runc alone', () => {
  expect(maxTasks(['runc', 'gvisor'], 2)).toBe(12);
  expect(maxTasks(['gvisor'], 4)).toBe(24);
  expect(maxTasks(['runc'], 2)).toBe(32);
});

test('an operator may set the number of tasks, also to none', () => {
  const { maxTasks: setting } = RunnerConfig.shape;
  expect(setting.parse(undefined)).toBeUndefined();
  expect(setting.parse(0)).toBe(0);
  expect(setting.safeParse(-1).success).toBe(false);
});
