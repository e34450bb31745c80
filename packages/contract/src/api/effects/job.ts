import { enforced, type FieldEffect } from './effect.ts';

const executions = 'services/api/test/executions.test.ts';
const tasks = 'tests/conformance/task.test.ts';
const containers = 'tests/e2e/jobs.test.ts';

export const jobEffects: readonly FieldEffect[] = [
  enforced(`${executions}: a job that is not enabled is refused with what to do`, 'enabled'),
  enforced(
    'services/api/test/regions-and-addresses.test.ts: %s refuses a region that is not the operator’s, naming the field',
    'region',
  ),
  enforced(
    `${tasks}: task.parallel: an execution runs as many tasks side by side as its job allows and never more, and each of them once`,
    'runtime.maxConcurrentTasks',
  ),
  enforced(
    `${containers}: a task that exits with a code is repeated as often as its job allows, then fails with that code`,
    'runtime.maxRetries',
  ),
  enforced(
    `${containers}: a task beyond its timeout is ended, also when it ignores SIGTERM, and the execution ends as timeout`,
    'runtime.timeout',
  ),
  enforced(`${containers}: a task beyond its memory fails with that reason`, 'runtime.memory'),
  enforced(
    `${tasks}: task.envs: tasks get the variables of their job, secret values too, and those of an execution replace them for that execution alone`,
    'runtime.envs',
  ),
  enforced(
    `${containers}: on $isolation every task runs once, in a container of its own, and the counts add up`,
    'runtime.generation',
  ),
  enforced(
    `${tasks}: task.runtime: tasks get the image, memory, timeout and isolation of their job, and an execution may take less memory`,
    'runtime.image',
  ),
  {
    effect: 'refused',
    paths: ['policies'],
    reason: 'policies are not applied to jobs yet, so no policy could be kept to. Leave it out.',
  },
  {
    effect: 'warned',
    paths: ['githubRunner'],
    reason: 'jobs do not serve as CI runners yet. Start executions through the API.',
  },
  {
    effect: 'warned',
    paths: ['revision'],
    reason: 'an execution runs the newest configuration of its job.',
  },
  {
    effect: 'warned',
    paths: ['runtime.diskPercent'],
    reason: 'every task of a machine has the same root disk, set by the operator as runner.diskMb.',
  },
  {
    effect: 'warned',
    paths: ['runtime.ports'],
    reason: 'nothing connects to the ports of a task. Use an agent for a service.',
  },
  {
    effect: 'warned',
    paths: ['triggers'],
    reason: 'triggers do not run yet: there is no schedule and no callback. Start executions through the API.',
  },
  {
    effect: 'warned',
    paths: ['volumes'],
    reason: 'nothing is mounted for a task yet. It may write to its own disk, which is removed with it.',
  },
];
