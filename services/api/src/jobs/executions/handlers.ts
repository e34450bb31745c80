import {
  cancelJobExecution,
  createJobExecution,
  createJobExecutionByAddress,
  getJobExecution,
  listJobExecutions,
  listJobExecutionTasks,
} from '@berth/contract';
import { type Call, type Registration, read, write } from '../../http/call.ts';
import { cancelExecution } from './cancel.ts';
import { type ExecutionPath, getExecution } from './get.ts';
import { listExecutions } from './list.ts';
import { listTasks } from './list-tasks.ts';
import { startExecution } from './start.ts';

interface PathCall extends Pick<Call, 'workspace' | 'dependencies'> {
  readonly params: { readonly jobId: string; readonly executionId: string };
}

const pathOf = ({ workspace, dependencies, params }: PathCall): ExecutionPath => ({
  workspace,
  job: params.jobId,
  executionId: params.executionId,
  retentionDays: dependencies.config.executionRetentionDays,
  now: dependencies.now(),
});

export const executionHandlers: readonly Registration[] = [
  write(createJobExecution, (call) => startExecution(call, call.params.jobId, call.body)),
  write(createJobExecutionByAddress, (call) => startExecution(call, call.params.job, call.body)),
  read(listJobExecutions, (call) => listExecutions(call, call.params.jobId)),
  read(getJobExecution, (call) => getExecution(call.database, pathOf(call))),
  write(cancelJobExecution, (call) => cancelExecution(call, pathOf(call))),
  read(listJobExecutionTasks, listTasks),
];
