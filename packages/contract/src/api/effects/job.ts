import { enforced, type FieldEffect } from './effect.ts';

const cron = 'services/orchestrator/test/cron.test.ts';
const executions = 'services/api/test/executions.test.ts';
const paths = 'services/gateway/test/triggers.test.ts';
const tasks = 'tests/conformance/task.test.ts';
const containers = 'tests/e2e/jobs.test.ts';
const notes = 'services/api/test/field-effects.test.ts: notes are kept as they came and promise nothing else';

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
  enforced(
    'services/orchestrator/test/references.test.ts: an execution waits where the policies of its job leave no region, and runs once one of them allows it',
    'policies',
  ),
  enforced(
    'services/api/test/job-revisions.test.ts: an execution runs the active revision of its job, and the canary in its share of executions',
    'revision.active',
    'revision.canary',
    'revision.canaryPercent',
  ),
  enforced(
    'tests/e2e/jobs.test.ts: on $isolation a task fills its volume up to its size and not beyond, and cannot write to a volume that is read-only',
    'volumes',
  ),
  {
    effect: 'warned',
    paths: ['githubRunner'],
    reason: 'jobs do not serve as CI runners yet. Start executions through the API.',
  },
  {
    effect: 'warned',
    paths: ['revision.stickySessionTtl'],
    harmless: [0],
    reason: 'each execution chooses its revision anew. Set canaryPercent to 0 or 100 for a fixed choice.',
  },
  {
    effect: 'warned',
    paths: ['revision.traffic'],
    reason:
      'a new revision runs in all executions, or in none where spec.revision.active names another. Use canary and canaryPercent.',
  },
  enforced(
    'services/runner/test/e2e/tasks.test.ts: on %s a task beyond the disk of its own is ended for that reason; a task within its own, or with none, is not',
    'runtime.diskPercent',
  ),
  enforced(
    `${tasks}: task.ports: tasks of a job with ports get the variables of the first one, and tasks of other jobs get none`,
    'runtime.ports[].target',
  ),
  enforced(notes, 'runtime.ports[].name'),
  {
    effect: 'warned',
    paths: ['runtime.ports[].protocol'],
    harmless: ['HTTP'],
    reason: 'nothing connects to the ports of a task from outside. Use an agent for a service.',
  },
  enforced(
    `${cron}: a year of schedules fires every tick once, none while disabled, and one after a downtime`,
    'triggers[].id',
    'triggers[].enabled',
    'triggers[].configuration.schedule',
  ),
  enforced(
    `${cron}: an execution has the tasks, the retries and the timeout of its trigger`,
    'triggers[].configuration.retry',
    'triggers[].configuration.tasks',
    'triggers[].configuration.timeout',
  ),
  enforced(
    `${paths}: a request to the path of a trigger starts an execution, which says who started it`,
    'triggers[].configuration.path',
  ),
  enforced(
    `${paths}: a public trigger starts for all callers and checks keys of ours; a private one tells strangers nothing`,
    'triggers[].configuration.authenticationType',
  ),
  {
    effect: 'warned',
    paths: ['triggers[].type'],
    harmless: ['cron', 'http'],
    reason: 'only triggers of type cron and http start executions of a job. Start others through the API.',
  },
  enforced(
    'services/orchestrator/test/callbacks.test.ts: the end of an execution is posted with its result, signed with the secret of the trigger',
    'triggers[].configuration.callbackUrl',
  ),
];
