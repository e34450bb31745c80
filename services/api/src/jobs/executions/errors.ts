import { defineErrors } from '@berth/contract';

export const executionErrors = defineErrors({
  job_disabled: {
    status: 409,
    message: 'The job {job} is not enabled. Set spec.enabled to true, then start it again.',
  },
  memory_above_job: {
    status: 400,
    message: 'memory is {asked} MB, but the job {job} has {limit} MB. Ask for at most that, or give the job more.',
  },
  execution_exists: {
    status: 409,
    message: 'The job {job} has an execution {id} already. Choose another executionId or leave it out.',
  },
  task_too_large: {
    status: 400,
    message:
      'A task needs {memory} MB, and no runner of this deployment has that much for tasks. Nothing was stored; ask for less memory, or ask the operator for a larger machine.',
  },
  no_capacity: {
    status: 429,
    message: '{reason} Nothing was stored; try again later, or leave allowQueue out to queue the execution.',
  },
});
