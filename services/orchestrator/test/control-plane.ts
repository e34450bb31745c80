// An api, a Restate and an orchestrator per test file. Runners are rows, and their reports are written like the api
// records them.
import { randomUUID } from 'node:crypto';
import { ApiConfig } from '@berth/api';
import type { TaskEndReason } from '@berth/contract/node';
import { PlacementConfig } from '@berth/instances';
import { OrchestratorConfig, type RunningOrchestrator, startOrchestrator } from '@berth/orchestrator';
import { createLogger, createMetricsRegistry } from '@berth/telemetry';
import { sql } from 'kysely';
import type { z } from 'zod';
import { startTestRestate, type TestRestate } from '../../../engines/test-restate.ts';
import { conformanceBrand } from '../../../tests/harness/conformance-brand.ts';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';
import { until } from '../../../tests/harness/until.ts';

interface InstanceRow {
  readonly id: string;
  readonly revision: string;
  readonly runner_id: string;
  readonly desired: 'running' | 'leaving' | 'gone';
  readonly state: string;
  readonly ended_at: Date | null;
  readonly spec: Record<string, unknown>;
}

interface TaskEnd {
  readonly reason: TaskEndReason;
  readonly exitCode?: number;
}

export interface Report {
  readonly state: 'pulling' | 'starting' | 'ready' | 'ended' | 'failed' | 'gone' | 'lost';
  readonly message?: string;
  /** How an attempt of a task has `ended`. */
  readonly result?: TaskEnd;
  /** For a sandbox: it was unused for as long as its rules allow. */
  readonly isExpired?: boolean;
}

export interface ControlPlaneOptions {
  /** Placement settings of the orchestrator and of the api. */
  readonly placement?: z.input<typeof PlacementConfig>;
  readonly resyncMs?: number;
  /** Settings of the api; the orchestrator reads the limits from it. */
  readonly config?: z.input<typeof ApiConfig>;
}

export type ControlPlane = AsyncDisposable & {
  readonly api: TestApi;
  readonly restate: TestRestate;
  /** Undefined until `startOrchestrator`. */
  orchestrator: RunningOrchestrator | undefined;
  startOrchestrator(): Promise<void>;
  addRunner(options?: {
    memoryMb?: number;
    region?: string;
    isolation?: string[];
    warm?: object[];
    maxTasks?: number;
  }): Promise<string>;
  /** Creates an agent with one instance by default, and returns its uid. */
  deploy(name: string, runtime?: object, spec?: object): Promise<string>;
  /** Creates a sandbox and returns its uid, without waiting for the answer, which comes once the sandbox is up. */
  sandbox(name: string, spec?: object): Promise<string>;
  uidOf(name: string): Promise<string>;
  instances(uid: string): Promise<InstanceRow[]>;
  /** Waits until `count` instances should run, and returns them. */
  running(uid: string, count?: number): Promise<InstanceRow[]>;
  report(id: string, report: Report): Promise<void>;
  /**
   * Until stopped, reports `gone` for every instance that should go, and `ready` for every instance that should run.
   * Attempts of tasks end as `endTask` says, as soon as they are ready; they go on where it returns undefined.
   */
  playRunners(endTask?: EndTask): { stop(): Promise<void> };
  statusOf(name: string, kind?: 'agents' | 'sandboxes'): Promise<string | undefined>;
  /** Runners whose reservation differs from the sum of their instances. */
  wrongReservations(): Promise<unknown[]>;
};

/** Decides how the attempt of a task ends. */
export type EndTask = (attempt: { readonly taskIndex: number; readonly attempt: number }) => TaskEnd | undefined;

const silent = createLogger({ role: 'orchestrator' }, { level: 'silent' });

export const testScaling = { requestsPerInstance: 10, idleSeconds: 2, mostInstances: 5 };

export const testRegions = [{ name: 'local', continent: 'eu', country: 'de' }];

export const testGatewayUrl = 'https://run.example.org';

/** Runners have only runc by default. */
export const testPlacement = { sandboxes: { defaultImage: 'example/sandbox:1' }, runcFor: 'everything' } as const;

export async function startControlPlane({
  placement = testPlacement,
  resyncMs,
  config = {},
}: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const [api, restate] = await Promise.all([startTestApi({ placement, config }), startTestRestate()]);
  const creating = new Set<Promise<unknown>>();
  const players: { stop(): Promise<void> }[] = [];
  const { database, admin } = api;
  const controlPlane: ControlPlane = {
    api,
    restate,
    orchestrator: undefined,
    async startOrchestrator() {
      controlPlane.orchestrator = await startOrchestrator({
        config: OrchestratorConfig.parse({ port: 0, callbacks: { allowedRanges: ['127.0.0.0/8'] } }),
        placement: PlacementConfig.parse(placement),
        scaling: testScaling,
        limits: ApiConfig.parse(config),
        brand: conformanceBrand(),
        regions: testRegions,
        gatewayUrl: testGatewayUrl,
        databaseUrl: api.databaseUrl,
        masterKeys: api.masterKeys,
        restate,
        logger: silent,
        registry: createMetricsRegistry({ role: 'orchestrator' }),
        checkEveryMs: 200,
        ...(resyncMs === undefined ? {} : { resyncMs }),
      });
    },
    async addRunner({ memoryMb = 65_536, region = 'local', isolation = ['runc'], warm = [], maxTasks = 0 } = {}) {
      const id = randomUUID();
      await sql`insert into runners (id, name, region, status, isolation, memory_mb, cpus, warm, max_tasks, last_seen_at)
        values (${id}, ${id}, ${region}, 'up', ${isolation}, ${memoryMb}, 8, ${JSON.stringify(warm)}, ${maxTasks},
          clock_timestamp())`.execute(database);
      await tell(api, 'pool', id);
      return id;
    },
    async sandbox(name, spec = {}) {
      const answered = admin.post('/sandboxes', { metadata: { name }, spec });
      creating.add(answered);
      const refused = answered.then(({ status, text }) => {
        if (status !== 200) throw new Error(text);
      });
      refused.catch(() => {});
      const known = () =>
        database
          .selectFrom('resources')
          .select('uid')
          .where('kind', '=', 'sandbox')
          .where('name', '=', name)
          .where('terminated_at', 'is', null)
          .executeTakeFirst();
      for (;;) {
        const row = await known();
        if (row !== undefined) return row.uid;
        await Promise.race([refused, new Promise((resolve) => setTimeout(resolve, 5))]);
      }
    },
    async deploy(name, runtime = {}, spec = {}) {
      const body = {
        metadata: { name },
        spec: { runtime: { image: 'example/agent:1', minScale: 1, ...runtime }, ...spec },
      };
      const answer = await admin.post('/agents', body);
      if (answer.status !== 200) throw new Error(answer.text);
      return controlPlane.uidOf(name);
    },
    async uidOf(name) {
      const row = await database
        .selectFrom('resources')
        .select('uid')
        .where('name', '=', name)
        .executeTakeFirstOrThrow();
      return row.uid;
    },
    instances: (uid) =>
      database
        .selectFrom('instances')
        .select(['id', 'revision', 'runner_id', 'desired', 'state', 'ended_at', 'spec'])
        .where('resource_uid', '=', uid)
        .orderBy('created_at')
        .execute(),
    async running(uid, count = 1) {
      const wanted = async () =>
        (await controlPlane.instances(uid)).filter(
          ({ desired, ended_at }) => desired === 'running' && ended_at === null,
        );
      let found: InstanceRow[] = [];
      await until(async () => {
        found = await wanted();
        return found.length === count;
      });
      return found;
    },
    report: (id, report) => recordReport(api, id, report),
    playRunners(endTask) {
      const player = playRunners(api, endTask);
      players.push(player);
      return player;
    },
    async statusOf(name, kind = 'agents') {
      const answer = await admin.get(`/${kind}/${name}`);
      return answer.status === 404 ? undefined : answer.body.status;
    },
    async wrongReservations() {
      const { rows } = await sql`
        select runners.id, runners.reserved_mb, coalesce(sum(instances.reserved_mb), 0)::int as held
        from runners left join instances on instances.runner_id = runners.id and instances.ended_at is null
        group by runners.id having runners.reserved_mb <> coalesce(sum(instances.reserved_mb), 0)`.execute(database);
      return rows;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(players.map((player) => player.stop()));
      await controlPlane.orchestrator?.stop();
      await Promise.all([api[Symbol.asyncDispose](), restate[Symbol.asyncDispose]()]);
      await Promise.allSettled(creating);
    },
  };
  return controlPlane;
}

/** Adds an outbox row and notifies, like the api does with a write. */
export async function tell(
  { database }: TestApi,
  topic: 'reconcile' | 'pool' | 'execution' | 'dispatch' | 'cron',
  key: string,
): Promise<void> {
  await sql`insert into outbox (topic, key) values (${topic}, ${key})`.execute(database);
  await sql`select pg_notify('outbox', '')`.execute(database);
}

interface ReportedRow {
  readonly runner_id: string;
  /** Memory that the report gives back. */
  readonly freed_mb: number;
  readonly resource_uid: string | null;
  readonly execution_id: string | null;
}

async function recordReport(api: TestApi, id: string, report: Report): Promise<void> {
  const { state, message, result, isExpired = false } = report;
  const told = await api.database.transaction().execute(async (tx) => {
    // Memory of an attempt is given back with its end, of every other instance with its removal.
    const { rows } = await sql<ReportedRow>`
      with before as (select reserved_mb from instances where id = ${id} and ended_at is null for update)
      update instances set message = ${message ?? null}, starts = 1, is_expired = ${isExpired},
        state = case when ${state} = 'lost' and result is not null then state else ${state} end,
        result = coalesce(result, ${result === undefined ? null : JSON.stringify(result)}::jsonb),
        finished_at = case when ${state} = 'ended' then clock_timestamp() else finished_at end,
        reserved_mb = case when ${state} = 'ended' then 0 else instances.reserved_mb end,
        applied_generation = case when ${state} = 'ready' then generation else applied_generation end,
        ready_at = case when ${state} = 'ready' then coalesce(ready_at, clock_timestamp()) else ready_at end,
        failed_at = case when ${state} = 'failed' then clock_timestamp() else failed_at end,
        desired = case when ${state} in ('ended', 'lost') then 'gone' else desired end,
        ended_at = case when ${state} in ('gone', 'lost') then clock_timestamp() end
      from before where id = ${id} and ended_at is null
      returning runner_id, resource_uid, execution_id,
        case when ${state} in ('ended', 'gone', 'lost') then before.reserved_mb else 0 end as freed_mb`.execute(tx);
    const [row] = rows;
    if (row !== undefined && row.freed_mb > 0) {
      await sql`update runners set reserved_mb = reserved_mb - ${row.freed_mb} where id = ${row.runner_id}`.execute(tx);
    }
    return row;
  });
  if (told === undefined) return;
  if (told.execution_id !== null) await tell(api, 'execution', told.execution_id);
  else if (told.resource_uid !== null) await tell(api, 'reconcile', told.resource_uid);
  else if (state === 'failed') await tell(api, 'pool', told.runner_id);
}

interface PlayedRow {
  readonly id: string;
  readonly desired: string;
  readonly state: string;
  readonly taskIndex: number | null;
  readonly attempt: number | null;
}

function playRunners(api: TestApi, endTask: EndTask = () => undefined): { stop(): Promise<void> } {
  let isStopping = false;
  const reportOf = ({ desired, state, taskIndex, attempt }: PlayedRow): Report | undefined => {
    if (desired !== 'running') return { state: 'gone' };
    if (state !== 'ready') return { state: 'ready' };
    const result = taskIndex === null || attempt === null ? undefined : endTask({ taskIndex, attempt });
    return result === undefined ? undefined : { state: 'ended', result };
  };
  const play = async (): Promise<void> => {
    while (!isStopping) {
      const { rows } = await sql<PlayedRow>`
        select id, desired, state, task_index as "taskIndex", attempt from instances
        where ended_at is null and (desired <> 'running' or state <> 'ready' or execution_id is not null)
        order by created_at limit 50`.execute(api.database);
      for (const row of rows) {
        const report = reportOf(row);
        if (report !== undefined) await recordReport(api, row.id, report);
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  const playing = play();
  return {
    async stop() {
      isStopping = true;
      await playing;
    },
  };
}
