import {
  cancelJobExecution,
  createJobExecution,
  createJobExecutionByAddress,
  getJobExecution,
  listJobExecutions,
  listJobExecutionTasks,
} from '@berth/contract';
import { type Registration, read, write } from '../../http/call.ts';
import { cancelExecution } from './cancel.ts';
import { getExecution } from './get.ts';
import { listExecutions } from './list.ts';
import { listTasks } from './list-tasks.ts';
import { startExecution } from './start.ts';

export const executionHandlers: readonly Registration[] = [
  write(createJobExecution, (call) => startExecution(call, call.params.jobId, call.body)),
  write(createJobExecutionByAddress, (call) => startExecution(call, call.params.job, call.body)),
  read(listJobExecutions, (call) => listExecutions(call, call.params.jobId)),
  read(getJobExecution, ({ database, workspace, params: { jobId, executionId } }) =>
    getExecution(database, { workspace, job: jobId, executionId }),
  ),
  write(cancelJobExecution, (call) => {
    const { jobId, executionId } = call.params;
    return cancelExecution(call, { workspace: call.workspace, job: jobId, executionId });
  }),
  read(listJobExecutionTasks, listTasks),
];
