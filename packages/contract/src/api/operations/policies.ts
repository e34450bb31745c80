// Control-plane sheet 1.10.
import { z } from 'zod';
import { member } from '../access.ts';
import { defineOperation } from '../operation.ts';
import { at } from '../path-params.ts';
import { WorkspaceQuery } from '../schema/query.ts';

const names = z.array(z.string());

export const listPolicyUsages = defineOperation({
  ...at('/policies/{policyName}/usages'),
  id: 'listPolicyUsages',
  method: 'GET',
  tag: 'Policies',
  summary: 'Name the resources that refer to a policy',
  access: member('policies:get', 'agents:list', 'functions:list', 'models:list', 'sandboxes:list', 'jobs:list'),
  query: WorkspaceQuery,
  answer: z
    .object({ agents: names, functions: names, jobs: names, models: names, sandboxes: names })
    .meta({ id: 'PolicyUsages' }),
});
