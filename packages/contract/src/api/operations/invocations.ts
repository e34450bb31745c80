// Asynchronous calls of agents. Our own addition: the interface has no such operation.
import { member } from '../access.ts';
import { defineOperation } from '../operation.ts';
import { at } from '../path-params.ts';
import { Invocation, InvocationPage, invocationsQuery } from '../schema/invocation.ts';
import { WorkspaceQuery } from '../schema/query.ts';

const tag = 'Agents';

export const listInvocations = defineOperation({
  ...at('/agents/{agentName}/invocations'),
  id: 'listInvocations',
  method: 'GET',
  tag,
  summary: 'List the asynchronous calls of an agent, newest first; they are kept for 30 days after their end',
  access: member('agents:get'),
  query: WorkspaceQuery.extend(invocationsQuery),
  answer: InvocationPage,
  isAddition: true,
});

export const getInvocation = defineOperation({
  ...at('/agents/{agentName}/invocations/{invocationId}'),
  id: 'getInvocation',
  method: 'GET',
  tag,
  summary: 'Read one asynchronous call of an agent',
  access: member('agents:get'),
  query: WorkspaceQuery,
  answer: Invocation,
  isAddition: true,
});
