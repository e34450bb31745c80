import { JobExecution } from '@berth/contract';
import { expect, test } from 'vitest';
import { renderExecution, renderTask } from './render.ts';

const at = (seconds: number) => new Date(Date.UTC(2030, 0, 1, 0, 0, seconds));
const view = { job: 'report', workspace: 'main', retentionDays: 30, now: at(21).getTime() };
const row = {
  id: 'id',
  job_uid: 'job',
  external_id: 'night-1',
  message_id: 'message',
  status: 'running',
  spec: { parallelism: 3, timeoutSeconds: 90, maxRetries: 2 },
  task_count: 10,
  active: 3,
  succeeded: 2,
  failed: 1,
  cancelled: 0,
  retried: 4,
  created_at: at(0),
  updated_at: at(9),
  started_at: at(1),
  completed_at: null,
};
const task = {
  index: 7,
  status: 'failed',
  failures: 3,
  losses: 0,
  reason: 'exited',
  exit_code: 2,
  message: null,
  created_at: at(0),
  updated_at: at(5),
  scheduled_at: at(1),
  started_at: at(2),
  completed_at: at(5),
};

test('stats are the counters of the row', () => {
  const { stats, tasks } = renderExecution(row, view);
  expect(stats).toEqual({ total: 10, running: 3, success: 2, failure: 1, cancelled: 0, retried: 4 });
  expect(tasks).toBeUndefined();
});

test('an execution has the times of its row, and expires its retention after its end', () => {
  expect(renderExecution(row, view).metadata).toEqual({
    id: 'night-1',
    job: 'report',
    workspace: 'main',
    createdAt: at(0).toISOString(),
    updatedAt: at(9).toISOString(),
    startedAt: at(1).toISOString(),
    tasksPerMinute: 9,
    expectedEndAt: '2030-01-01T00:01:07.666Z',
  });
  expect(renderExecution({ ...row, completed_at: at(9) }, view).metadata).toMatchObject({
    completedAt: '2030-01-01T00:00:09.000Z',
    expiredAt: '2030-01-31T00:00:09.000Z',
  });
});

test('a task has its times, its limits and one condition', () => {
  expect(renderTask(task, row.spec)).toEqual({
    metadata: {
      name: 'task-7',
      createdAt: at(0).toISOString(),
      updatedAt: at(5).toISOString(),
      scheduledAt: at(1).toISOString(),
      startedAt: at(2).toISOString(),
      completedAt: at(5).toISOString(),
    },
    spec: { maxRetries: 2, timeout: '90s' },
    conditions: [expect.objectContaining({ reason: 'ExitCode', message: 'Ended with exit code 2.' })],
    status: 'failed',
  });
});

test('what is rendered is an execution of the contract', () => {
  const rendered = renderExecution({ ...row, completed_at: at(9) }, view, [task]);
  expect(JobExecution.parse(rendered)).toEqual(rendered);
});
