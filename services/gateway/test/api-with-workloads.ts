// A real api whose workloads, runners and instances are rows: nothing runs behind them.
import { randomUUID } from 'node:crypto';
import type { Database } from '@berth/database';
import { createLogger } from '@berth/telemetry';
import { sql } from 'kysely';
import { startTestApi, type TestApi, type TestApiOptions } from '../../../tests/harness/test-api.ts';
import type { Route } from '../src/routing/route.ts';
import type { ServedKind } from '../src/workloads/workload.ts';

export const silent = createLogger({ role: 'gateway' }, { level: 'silent' });

export const byPath = (name: string, workspace = 'main', kind: ServedKind = 'agent'): Route => ({
  by: 'path',
  workspace,
  kind,
  name,
  path: '/',
});

export interface ApiWithWorkloads extends AsyncDisposable {
  readonly api: TestApi;
  readonly database: Database;
  /** Deployed agent or function with its active revision. */
  deploy(
    name: string,
    spec?: object,
    workspace?: string,
    kind?: 'agent' | 'function',
  ): Promise<{ uid: string; revision: string }>;
  addRunner(): Promise<string>;
  addInstance(uid: string, revision: string, runnerId: string, state?: string): Promise<string>;
}

export async function startApiWithWorkloads(options?: TestApiOptions): Promise<ApiWithWorkloads> {
  const api = await startTestApi(options);
  const { database } = api;
  return {
    api,
    database,
    async deploy(name, spec = {}, workspace = 'main', kind = 'agent') {
      const runtime = { image: 'registry.example.org/a:1' };
      const admin = api.admin.with({ workspace });
      const { status, body } = await admin.post(`/${kind}s`, { metadata: { name }, spec: { runtime, ...spec } });
      if (status !== 200) throw new Error(JSON.stringify(body));
      const { uid } = await database
        .selectFrom('resources')
        .innerJoin('workspaces', 'workspaces.id', 'resources.workspace_id')
        .select('uid')
        .where('resources.name', '=', name)
        .where('resources.kind', '=', kind)
        .where('workspaces.name', '=', workspace)
        .executeTakeFirstOrThrow();
      const { id: revision } = await database
        .selectFrom('revisions')
        .select('id')
        .where('resource_uid', '=', uid)
        .executeTakeFirstOrThrow();
      await sql`update resources set status = 'DEPLOYED',
        state = coalesce(state, '{}') || ${JSON.stringify({ activeRevision: revision })}::jsonb where uid = ${uid}`.execute(
        database,
      );
      return { uid, revision };
    },
    async addRunner() {
      const id = randomUUID();
      await database
        .insertInto('runners')
        .values({
          id,
          name: id,
          region: 'local',
          status: 'up',
          ingress_address: '10.0.0.9:7000',
          ingress_secret: 'secret',
        })
        .execute();
      return id;
    },
    async addInstance(uid, revision, runnerId, state = 'ready') {
      const id = randomUUID();
      await sql`insert into instances (id, workspace_id, resource_uid, revision, runner_id, spec, state, reserved_mb)
        select ${id}, workspace_id, uid, ${revision}, ${runnerId}, '{}', ${state}, 1 from resources
        where uid = ${uid}`.execute(database);
      return id;
    },
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  };
}
