// Finds the resources that name a policy in `spec.policies`. Control-plane sheet 2.11.
import { listPolicyUsages, requestErrors } from '@berth/contract';
import { type Database, liveResource } from '@berth/database';
import { sql } from 'kysely';
import { type Registration, read } from '../http/call.ts';
import { findLive } from '../resources/record.ts';

const fields = { agent: 'agents', function: 'functions', job: 'jobs', model: 'models', sandbox: 'sandboxes' } as const;
type Field = (typeof fields)[keyof typeof fields];

/** Kinds whose spec may name policies. */
export const policyUsers: readonly string[] = Object.keys(fields);

const isCounted = (kind: string): kind is keyof typeof fields => kind in fields;

const none = (): Record<Field, number> => ({ agents: 0, functions: 0, jobs: 0, models: 0, sandboxes: 0 });

/** One query for a whole page of policies. */
export async function countUsages(
  database: Database,
  workspaceId: string,
  names: readonly string[],
): Promise<Map<string, Record<Field, number>>> {
  const usages = new Map(names.map((name) => [name, none()]));
  if (names.length === 0) return usages;
  const { rows } = await sql<{ policy: string; kind: string; uses: number }>`
    select policy, kind, count(distinct uid) as uses
    from resources, jsonb_array_elements_text(spec->'policies') as policy
    where workspace_id = ${workspaceId} and kind = any(${[...policyUsers]}) and ${liveResource()}
      and spec->'policies' ?| ${[...names]}::text[] and policy = any(${[...names]}::text[])
    group by policy, kind`.execute(database);
  for (const { policy, kind, uses } of rows) {
    const counts = usages.get(policy);
    if (counts !== undefined && isCounted(kind)) counts[fields[kind]] = uses;
  }
  return usages;
}

export const policyHandlers: readonly Registration[] = [
  read(listPolicyUsages, async ({ database, workspace, params: { policyName } }) => {
    const policy = await findLive(database, { workspaceId: workspace.id, kind: 'policy' }, policyName);
    if (policy === undefined) throw requestErrors.not_found();
    const users = await database
      .selectFrom('resources')
      .select(['kind', 'name'])
      .where('workspace_id', '=', workspace.id)
      .where('kind', 'in', policyUsers)
      .where(liveResource())
      .where(sql<boolean>`spec->'policies' ? ${policyName}`)
      .orderBy('name')
      .execute();
    const named = (kind: keyof typeof fields) => users.filter((user) => user.kind === kind).map(({ name }) => name);
    return {
      agents: named('agent'),
      functions: named('function'),
      jobs: named('job'),
      models: named('model'),
      sandboxes: named('sandbox'),
    };
  }),
];
