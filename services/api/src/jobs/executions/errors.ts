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
  no_capacity: {
    status: 429,
    message:
      'No execution can start at once: jobs do not run yet. Nothing was stored; leave allowQueue out to store it as queued.',
  },
});
