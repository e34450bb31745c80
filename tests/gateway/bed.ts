// Test bed: workloads, runners and instances as rows, and a connection to PostgreSQL that can be cut.
import { randomUUID } from 'node:crypto';
import { createServer, connect as dial, type Socket } from 'node:net';
import { connect, type Database } from '@berth/database';
import { createLogger } from '@berth/telemetry';
import { sql } from 'kysely';
import type { Route } from '../../services/gateway/src/routing/route.ts';
import type { ServedKind } from '../../services/gateway/src/workloads/workload.ts';
import { startTestApi, type TestApi, type TestApiOptions } from '../support/test-api.ts';

export const silent = createLogger({ role: 'gateway' }, { level: 'silent' });

export const byPath = (name: string, workspace = 'main', kind: ServedKind = 'agent'): Route => ({
  by: 'path',
  workspace,
  kind,
  name,
  path: '/',
});

export interface Bed extends AsyncDisposable {
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

export async function makeBed(options?: TestApiOptions): Promise<Bed> {
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

export interface Line extends AsyncDisposable {
  readonly url: string;
  readonly database: Database;
  /** `cut` refuses and ends connections; `silent` keeps them open but passes no bytes on. */
  become(state: 'open' | 'cut' | 'silent'): void;
}

/** Database reached through a forwarder. */
export async function openLine(databaseUrl: string): Promise<Line> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let state: 'open' | 'cut' | 'silent' = 'open';
  const server = createServer((client) => {
    if (state === 'cut') {
      client.destroy();
      return;
    }
    const upstream = dial(Number(target.port), target.hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.on('data', (chunk) => {
        if (state === 'open') to.write(chunk);
      });
    }
  });
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(address.port);
  const database = connect({ url: url.href, maxConnections: 5 });
  return {
    url: url.href,
    database,
    become(next) {
      state = next;
      // Bytes dropped during the silence are lost, so connections end with it.
      if (next !== 'silent') cut();
    },
    async [Symbol.asyncDispose]() {
      cut();
      await database.destroy().catch(() => {});
      await new Promise((closed) => server.close(closed));
    },
  };
}
