// A real api with its node listener, and test machines that use the node protocol like a runner.
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { type Hello, type InstanceReport, nodePaths, nodeProtocol, StreamMessage } from '@berth/contract/node';
import { createNotifier, instancesChannel, nilUuid, uuidv7 } from '@berth/database';
import { createJoinToken, createKeyring, createNodeAuthority, seal } from '@berth/identity';
import { startTestApi, type TestApi } from '../../../../tests/harness/test-api.ts';
import type { Identity } from '../../../runner/src/node/identity.ts';
import { joinDeployment } from '../../../runner/src/node/join-deployment.ts';
import { createNodeClient, type NodeClient } from '../../../runner/src/node/node-client.ts';

export interface Stream {
  readonly session: number;
  readonly protocol: number | undefined;
  readonly ingressSecret: string | undefined;
  readonly epoch: string | undefined;
  /** Returns the next message other than a pulse. */
  next(): Promise<StreamMessage>;
  /** Resolves when the api has ended the stream. */
  readonly ended: Promise<unknown>;
  close(): void;
}

export interface Machine {
  readonly identity: Identity;
  readonly client: NodeClient;
  connect(hello?: Partial<Hello>): Promise<Stream>;
  report(session: number, ...reports: InstanceReport[]): Promise<number>;
  heartbeat(session: number): Promise<number>;
}

export class ApiWithMachines implements AsyncDisposable {
  readonly api: TestApi;
  readonly #closers: (() => void)[] = [];

  readonly #notify: (runnerId: string) => void;

  private constructor(api: TestApi) {
    this.api = api;
    this.#notify = createNotifier(api.database, instancesChannel);
  }

  static async start(lostAfterSeconds = 30): Promise<ApiWithMachines> {
    return new ApiWithMachines(await startTestApi({ config: { node: { port: 0, lostAfterSeconds } } }));
  }

  async token(lifeSeconds = 600): Promise<string> {
    const authority = await createNodeAuthority(this.api.database, this.api.masterKeys);
    return createJoinToken(this.api.database, authority, { region: 'local', lifeSeconds });
  }

  async join(name = `machine-${randomUUID().slice(0, 8)}`, token?: string): Promise<Machine> {
    const joinToken = token ?? (await this.token());
    return this.machine(await joinDeployment({ apiUrl: this.api.nodeUrl, joinToken, name }));
  }

  machine(identity: Identity): Machine {
    const client = createNodeClient(this.api.nodeUrl, identity);
    this.#closers.push(() => client.close());
    const post = async (path: string, body: object): Promise<number> => (await client.post(path, body)).status;
    return {
      identity,
      client,
      connect: (hello) => this.#connect(client, hello),
      report: (session, ...reports) => post(nodePaths.reports, { session, reports }),
      heartbeat: (session) =>
        post(nodePaths.heartbeat, { session, freeMemoryMb: 100, freeDiskPercent: 50, instances: 0 }),
    };
  }

  async #connect(client: NodeClient, more: Partial<Hello> = {}): Promise<Stream> {
    const leaving = new AbortController();
    this.#closers.push(() => leaving.abort());
    const hello = { protocol: nodeProtocol.newest, version: 'test', isolation: ['runc'], memoryMb: 4_096, cpus: 2 };
    const incoming = await client.open(nodePaths.stream, { ...hello, ...more }, leaving.signal);
    incoming.on('error', () => {});
    // Unlike `once` of node:events, this does not reject when the connection breaks.
    const ended = new Promise((resolve) => incoming.once('close', resolve));
    const reader = createInterface({ input: incoming });
    reader.on('error', () => {});
    const lines = reader[Symbol.asyncIterator]();
    const next = async (): Promise<StreamMessage> => {
      for (;;) {
        const { value, done } = await lines.next();
        if (done) throw new Error('the stream has ended');
        const message = StreamMessage.parse(JSON.parse(value));
        if (message.type !== 'pulse') return message;
      }
    };
    const welcome = await next();
    if (welcome.type !== 'welcome') throw new Error(`the stream began with ${welcome.type}`);
    const { session, protocol, ingressSecret, epoch } = welcome;
    return { session, protocol, ingressSecret, epoch, next, ended, close: () => leaving.abort() };
  }

  /**
   * Places an instance on the machine, with the same rows that the orchestrator writes. Returns its id and its
   * resource's.
   */
  async place(
    runnerId: string,
    secret = 'open sesame',
    more: object = {},
  ): Promise<{ id: string; resourceUid: string }> {
    const { database, masterKeys, workspace } = this.api;
    const { id: workspaceId } = await database
      .selectFrom('workspaces')
      .select('id')
      .where('name', '=', workspace)
      .executeTakeFirstOrThrow();
    const key = await createKeyring(masterKeys).workspaceKey(database, workspaceId);
    const resourceUid = uuidv7();
    const context = `resource ${resourceUid}`;
    const spec = {
      mode: 'serve',
      resource: { uid: resourceUid, kind: 'agent', name: 'a' },
      image: 'tiny',
      isolation: 'runc',
      memoryMb: 512,
      cpus: 1,
      port: 80,
      startTimeoutSeconds: 45,
      env: [
        { name: 'PLAIN', value: 'text' },
        { name: 'SECRET', sealed: seal(key, secret, context), context },
      ],
      ...more,
    };
    const id = uuidv7();
    await database
      .insertInto('instances')
      .values({
        id,
        workspace_id: workspaceId,
        resource_uid: resourceUid,
        revision: 'rev-1',
        runner_id: runnerId,
        spec: JSON.stringify(spec),
        reserved_mb: 512,
      })
      .execute();
    await database
      .updateTable('runners')
      .set((build) => ({ reserved_mb: build('reserved_mb', '+', 512) }))
      .where('id', '=', runnerId)
      .execute();
    this.#notify(runnerId);
    return { id, resourceUid };
  }

  /** Places the attempt of a task on the machine. Returns its id, its execution's and its job's. */
  async placeAttempt(
    runnerId: string,
    executionId = uuidv7(),
    taskIndex = 0,
  ): Promise<{ id: string; executionId: string; resourceUid: string }> {
    const task = { mode: 'task', timeoutSeconds: 60, graceSeconds: 10 };
    const placed = await this.place(runnerId, undefined, task);
    await this.api.database
      .updateTable('instances')
      .set({ execution_id: executionId, task_index: taskIndex, attempt: 1 })
      .where('id', '=', placed.id)
      .execute();
    return { ...placed, executionId };
  }

  async retire(id: string, desired: 'leaving' | 'gone' = 'gone'): Promise<void> {
    const { runner_id } = await this.api.database
      .updateTable('instances')
      .set({ desired })
      .where('id', '=', id)
      .returning('runner_id')
      .executeTakeFirstOrThrow();
    this.#notify(runner_id);
  }

  instance(id: string) {
    return this.api.database.selectFrom('instances').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  }

  runner(id: string) {
    return this.api.database.selectFrom('runners').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  }

  /** Counts outbox rows of a key. A row of a resource must name its workspace, because the relay needs it. */
  async reconciles(key: string): Promise<number> {
    const rows = await this.api.database
      .selectFrom('outbox')
      .select('id')
      .where('key', '=', key)
      .where((row) => row.or([row('topic', '=', 'pool'), row('workspace_id', '<>', nilUuid)]))
      .execute();
    return rows.length;
  }

  /** Topics of the outbox rows of a key, oldest first. */
  async topics(key: string): Promise<string[]> {
    const rows = await this.api.database
      .selectFrom('outbox')
      .select('topic')
      .where('key', '=', key)
      .orderBy('id')
      .execute();
    return rows.map(({ topic }) => topic);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const close of this.#closers) close();
    await this.api[Symbol.asyncDispose]();
  }
}
