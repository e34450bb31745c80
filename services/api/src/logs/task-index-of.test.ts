import { expect, test } from 'vitest';
import { taskIndexOf } from './task-index-of.ts';

test.each([
  ['task-0', 0],
  ['task-99999', 99_999],
  ['3', 3],
  ['', undefined],
  ['task-', undefined],
  ['task--1', undefined],
  ['-1', undefined],
  ['1.5', undefined],
  ['task-3 ', undefined],
  ['TASK-3', undefined],
  ['9999999999', undefined],
])('the task %j has the index %s', (text, index) => {
  expect(taskIndexOf(text)).toBe(index);
});
