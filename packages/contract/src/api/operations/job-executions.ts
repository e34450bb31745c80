// Executions of jobs. Specification: Job execution; control-plane sheet 1.7.
import { z } from 'zod';
import { bytesPerMb } from '../../bytes-per-mb.ts';
import { member, memberOfPath } from '../access.ts';
import { defineOperation } from '../operation.ts';
import { at } from '../path-params.ts';
import {
  CreateJobExecutionOutput,
  CreateJobExecutionRequest,
  JobExecution,
  JobExecutionTask,
} from '../schema/job-execution.ts';
import { pageOrArray } from '../schema/page.ts';
import { pageQuery, queryInteger, shortPageQuery, WorkspaceQuery } from '../schema/query.ts';

const tag = 'Job executions';
const { anchor: _, ...taskPageQuery } = pageQuery;

export const listJobExecutions = defineOperation({
  ...at('/jobs/{jobId}/executions'),
  id: 'listJobExecutions',
  method: 'GET',
  tag,
  summary: 'List the executions of a job',
  access: member('jobs:list'),
  query: WorkspaceQuery.extend(shortPageQuery),
  // Paging by offset exists only in versions without cursors.
  queryBeforeWrappedLists: WorkspaceQuery.extend({
    offset: queryInteger({ min: 0, clampTo: 2_147_483_647 }).optional(),
  }),
  answer: pageOrArray('JobExecutionList', JobExecution),
});

const start = {
  method: 'POST',
  tag,
  summary: 'Start an execution of a job',
  body: CreateJobExecutionRequest,
  bodyLimitBytes: 32 * bytesPerMb,
  answer: CreateJobExecutionOutput,
  errors: [429],
  audit: 'job-execution.create',
} as const;

export const createJobExecution = defineOperation({
  ...at('/jobs/{jobId}/executions'),
  ...start,
  id: 'createJobExecution',
  access: member('jobs:create'),
  query: WorkspaceQuery,
});

export const createJobExecutionByAddress = defineOperation({
  ...at('/{workspace}/jobs/{job}/executions'),
  ...start,
  base: 'api_url',
  id: 'createJobExecutionByAddress',
  access: memberOfPath('jobs:create'),
  query: z.object({}),
});

export const getJobExecution = defineOperation({
  ...at('/jobs/{jobId}/executions/{executionId}'),
  id: 'getJobExecution',
  method: 'GET',
  tag,
  summary: 'Read one execution',
  access: member('jobs:get'),
  query: WorkspaceQuery,
  answer: JobExecution,
});

export const cancelJobExecution = defineOperation({
  ...at('/jobs/{jobId}/executions/{executionId}'),
  id: 'cancelJobExecution',
  method: 'DELETE',
  tag,
  summary: 'Cancel an execution; its record stays',
  access: member('jobs:delete'),
  query: WorkspaceQuery,
  answer: JobExecution,
  audit: 'job-execution.cancel',
});

export const listJobExecutionTasks = defineOperation({
  ...at('/jobs/{jobId}/executions/{executionId}/tasks'),
  id: 'listJobExecutionTasks',
  method: 'GET',
  tag,
  summary: 'List the tasks of an execution',
  access: member('jobs:get'),
  query: WorkspaceQuery.extend(taskPageQuery),
  queryBeforeWrappedLists: WorkspaceQuery,
  answer: pageOrArray('JobExecutionTaskList', JobExecutionTask),
});
