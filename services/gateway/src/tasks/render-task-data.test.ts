import { expect, test } from 'vitest';
import { allTasks, onlyTask } from './render-task-data.ts';

test('all arguments keep their order', () => {
  expect(JSON.parse(allTasks('{"n": 0},{"n": 1}'))).toEqual({ tasks: [{ n: 0 }, { n: 1 }] });
});

test('the own element is at its index, and the list has its full length', () => {
  for (const [index, count] of [
    [0, 1],
    [0, 3],
    [1, 3],
    [2, 3],
  ] as const) {
    const { tasks } = JSON.parse(onlyTask('{"own": true}', index, count));
    expect(tasks).toEqual(Array.from({ length: count }, (_, at) => (at === index ? { own: true } : null)));
  }
});
