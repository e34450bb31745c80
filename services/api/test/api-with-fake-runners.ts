// A real api, and machines with warm sandboxes: rows, and a listener that takes the api's calls as the ingress of a
// runner does. No sandbox runs behind them; in place of the orchestrator, tests write what it would write.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { createServer, type TLSSocket } from 'node:tls';
import { defaultBrand } from '@berth/contract';
import {
  type IsolationClass,
  ingressServerName,
  type RunnerCallAnswer,
  type RunnerCallName,
  RunnerCallRequest,
} from '@berth/contract/node';
import { routesChannel, uuidv7 } from '@berth/database';
import { createKeyring, createNodeAuthority, type IssuedKey } from '@berth/identity';
import { PlacementConfig, poolKeyOf, warmInstanceSpec, warmReservedMb } from '@berth/instances';
import { Bundle, readLine } from '@berth/wire';
import { sql } from 'kysely';
import { startTestApi, type TestApi, type TestApiOptions } from '../../../tests/harness/test-api.ts';
import { mayCall } from '../../runner/test/may-call.ts';
import { callSecretOf } from '../src/nodes/call-secret.ts';

export interface HeardCall {
  readonly name: RunnerCallName;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at parts of it.
  readonly body: any;
}

export interface TestRunner {
  readonly id: string;
  readonly heard: readonly HeardCall[];
  /** Answer to a call; `done` unless set. */
  answer: (call: HeardCall) => Promise<RunnerCallAnswer> | RunnerCallAnswer;
}

export interface RunnerWish {
  readonly waiting?: number;
  readonly isolation?: IsolationClass;
  /** Nothing listens at its address. */
  readonly isDeaf?: boolean;
  /** Runners of earlier releases check no certificate of the caller, but a secret. */
  readonly checks?: 'certificate' | 'call secret' | 'session secret';
}

type IsCaller = (socket: TLSSocket, line: string | undefined) => boolean;

const image = 'example/sandbox:1';

export class ApiWithFakeRunners implements AsyncDisposable {
  readonly api: TestApi;
  readonly #closers: (() => void)[] = [];

  private constructor(api: TestApi) {
    this.api = api;
  }

  /** Runners have only runc unless a test sets another class, so runc is allowed for everything. */
  static async start({ config, placement, ...options }: TestApiOptions = {}): Promise<ApiWithFakeRunners> {
    return new ApiWithFakeRunners(
      await startTestApi({
        ...options,
        config: { createWaitSeconds: 10, ...config },
        placement: { runcFor: 'everything', ...(placement ?? { sandboxes: { defaultImage: image } }) },
      }),
    );
  }

  async addRunner(wish: RunnerWish = {}): Promise<TestRunner> {
    const { waiting = 0, isolation = 'runc', isDeaf = false, checks = 'certificate' } = wish;
    const { database, masterKeys } = this.api;
    const id = randomUUID();
    const secret = checks === 'certificate' ? null : randomUUID();
    const authority = await createNodeAuthority(database, masterKeys);
    const heard: HeardCall[] = [];
    const runner: TestRunner = { id, heard, answer: () => ({ call: 'done' }) };
    const isApi = secret === null ? mayCall(authority.certificate) : saysSecret(await this.#secretFor(checks, secret));
    const issued = await authority.issueServer(ingressServerName(id));
    const port = isDeaf ? 1 : await this.#listen(issued, isApi, runner, heard);
    await sql`insert into runners (id, name, region, status, isolation, memory_mb, reserved_mb, ingress_address, ingress_secret)
      values (${id}, ${id}, 'local', 'up', ${[isolation]}, 1000000, ${waiting * warmReservedMb}, ${`127.0.0.1:${port}`},
        ${secret})`.execute(database);
    for (let count = 0; count < waiting; count += 1) await this.addWaiting(id, isolation);
    return runner;
  }

  async addWaiting(runnerId: string, isolation: IsolationClass = 'runc'): Promise<void> {
    const settings = { placement: PlacementConfig.parse({}), brand: defaultBrand };
    const warm = warmInstanceSpec({ image, isolation, memoryMb: 4096 }, settings);
    await sql`insert into instances (id, runner_id, pool, revision, spec, reserved_mb, state, ready_at)
      values (${uuidv7()}, ${runnerId}, ${poolKeyOf(warm)}, 'warm', ${JSON.stringify(warm)}, ${warmReservedMb}, 'ready',
        clock_timestamp())`.execute(this.api.database);
  }

  async #secretFor(checks: RunnerWish['checks'], secret: string): Promise<string> {
    const { database, masterKeys } = this.api;
    return checks === 'call secret' ? callSecretOf({ database, keyring: createKeyring(masterKeys) }, secret) : secret;
  }

  async #listen(
    { certificate, key }: IssuedKey,
    isApi: IsCaller,
    runner: TestRunner,
    heard: HeardCall[],
  ): Promise<number> {
    const sockets = new Set<TLSSocket>();
    const tls = { cert: certificate, key, requestCert: true, rejectUnauthorized: false };
    const server = createServer({ ...tls, minVersion: 'TLSv1.3' }, async (socket) => {
      sockets.add(socket.on('error', () => {}));
      if (!isApi(socket, await readLine(socket, 4_096))) {
        socket.end('{"tunnel":"refused"}\n');
        return;
      }
      socket.write('{"tunnel":"open"}\n');
      new Bundle(socket, {
        async onOpen(words, channel, answer) {
          const { call: name } = RunnerCallRequest.parse(JSON.parse(words));
          answer('{"tunnel":"open"}');
          const call = { name, body: JSON.parse(await text(channel)) };
          heard.push(call);
          channel.end(JSON.stringify(await runner.answer(call)));
        },
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    this.#closers.push(() => {
      server.close();
      for (const socket of sockets) socket.destroy();
    });
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    return address.port;
  }

  /** Newest sandbox with that name. */
  async resource(name: string) {
    return this.api.database
      .selectFrom('resources')
      .selectAll()
      .where('name', '=', name)
      .where('kind', '=', 'sandbox')
      .orderBy('created_at', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow();
  }

  async instances(name: string) {
    const { uid } = await this.resource(name);
    return this.api.database
      .selectFrom('instances')
      .selectAll()
      .where('resource_uid', '=', uid)
      .orderBy('created_at')
      .execute();
  }

  /** Sets the status as the orchestrator does when an instance is up or has failed. */
  async settle(name: string, status: 'DEPLOYED' | 'FAILED'): Promise<void> {
    const { uid } = await this.resource(name);
    await sql`update resources set status = ${status} where uid = ${uid}`.execute(this.api.database);
    await sql`select pg_notify(${routesChannel}, ${uid})`.execute(this.api.database);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const close of this.#closers) close();
    await this.api[Symbol.asyncDispose]();
  }
}

/** A runner of an earlier release reads the secret and skips what it does not know. */
const saysSecret =
  (secret: string): IsCaller =>
  (_socket, line = '{}') =>
    JSON.parse(line).secret === secret;

export const named = (name: string, spec: object = {}) => ({ metadata: { name }, spec });
