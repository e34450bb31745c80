// Drives the native helper by its frames. A stand-in takes the place of the guest: it relays the frames between the
// helper and the test, and answers on the listening socket.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type GuestProcess, type GuestProcessWish, startGuestProcess } from '../../../tests/harness/guest-process.ts';

export type HelperRecord = {
  pid: number;
  startTicks: number;
  stdout: number;
  stderr: number;
  all: number;
  ended: boolean;
  exitCode: number;
  signal: number;
};

export type Answer = { type: string; key: string; stage: number; errno: number; ok: boolean; record: HelperRecord };

export type AboutGuest = {
  pid: number;
  argv: string[];
  execArgv: string[];
  uid: number;
  gid: number;
  groups: number[];
  env: Record<string, string>;
  cwd: string;
};

export type Wish = {
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
  folder?: string;
  logFolder?: string;
  maxLogBytes?: number;
  input?: 'none' | 'pipe' | { cols: number; rows: number };
};

const standIn = `
const net = require('node:net');
const http = require('node:http');
const test = net.connect(process.env.TEST_SOCKET);
const helper = new net.Socket({ fd: 3, readable: true, writable: true });
test.pipe(helper).pipe(test);
test.on('error', () => process.exit(1));
const answer = JSON.stringify({ pid: process.pid, argv: process.argv.slice(2), execArgv: process.execArgv, uid: process.getuid(), gid: process.getgid(),
  groups: process.getgroups(), env: process.env, cwd: process.cwd() });
http.createServer((_, response) => response.end(answer)).listen({ fd: 4, backlog: 4096 });
`;

export class NativeHelper implements AsyncDisposable {
  readonly process: GuestProcess;
  readonly #place: string;
  readonly #server: ReturnType<typeof createServer>;
  readonly #connections: Connection[];
  #arrived: () => void;

  private constructor(
    place: string,
    server: ReturnType<typeof createServer>,
    process: GuestProcess,
    connections: Connection[],
  ) {
    this.#place = place;
    this.#server = server;
    this.process = process;
    this.#connections = connections;
    this.#arrived = () => undefined;
    server.on('connection', () => this.#arrived());
  }

  static async start(wish: GuestProcessWish = {}): Promise<NativeHelper> {
    const place = await mkdtemp(join(tmpdir(), 'helper-'));
    await chmod(place, 0o755);
    await mkdir(join(place, 'guest'));
    await writeFile(join(place, 'guest/main.js'), standIn);
    await writeFile(join(place, 'guest/package.json'), '{"type":"commonjs"}');
    const connections: Connection[] = [];
    const server = createServer((socket) => connections.push(new Connection(socket)));
    server.listen(join(place, 'socket'));
    await once(server, 'listening');
    await chmod(join(place, 'socket'), 0o777);
    const variables = { TEST_SOCKET: join(place, 'socket'), ...wish.variables };
    const process = await startGuestProcess({ ...wish, variables, runtimeFolder: place });
    return new NativeHelper(place, server, process, connections);
  }

  /** Connection of the n-th guest, counted from 0. */
  async connection(index: number): Promise<Connection> {
    while (this.#connections[index] === undefined) {
      await new Promise<void>((resolve) => {
        this.#arrived = resolve;
        if (this.#connections[index] !== undefined) resolve();
      });
    }
    return this.#connections[index];
  }

  /** Data that the stand-in reports about itself. A new connection each time: a kept one may belong to a dead guest. */
  async aboutGuest(): Promise<AboutGuest> {
    const [response] = await once(get(this.process.url, { agent: false }), 'response');
    return JSON.parse(Buffer.concat(await response.toArray()).toString());
  }

  async logFolder(): Promise<string> {
    const folder = join(this.process.stateFolder, randomBytes(6).toString('hex'));
    await mkdir(folder);
    const { uid, gid } = await stat(this.process.stateFolder);
    await chown(folder, uid, gid);
    return folder;
  }

  /** Runs a process to its end. */
  async run(wish: Wish): Promise<{ record: HelperRecord; logFolder: string }> {
    const guest = await this.connection(0);
    const key = newKey();
    const logFolder = wish.logFolder ?? (await this.logFolder());
    guest.spawn(key, { ...wish, logFolder });
    const { stage, errno } = await guest.next('s', key);
    if (stage !== 0) throw new Error(`It did not start: stage ${stage}, error ${errno}.`);
    const { record } = await guest.next('x', key);
    return { record, logFolder };
  }

  async [Symbol.asyncDispose]() {
    await this.process[Symbol.asyncDispose]();
    this.#server.close();
    await rm(this.#place, { recursive: true, force: true });
  }
}

export class Connection {
  readonly answers: Answer[] = [];
  readonly socket: Socket;
  closed = false;
  #bytes = Buffer.alloc(0);
  #waiting: (() => void)[] = [];

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (bytes) => this.#take(bytes));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.closed = true;
      this.#changed();
    });
  }

  #take(bytes: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    while (this.#bytes.length >= 4 && this.#bytes.length >= 4 + this.#bytes.readUInt32LE(0)) {
      const end = 4 + this.#bytes.readUInt32LE(0);
      this.answers.push(answerOf(this.#bytes.subarray(4, end)));
      this.#bytes = this.#bytes.subarray(end);
    }
    this.#changed();
  }

  /** Waits for the first answer of the type (and key), and takes it out of the list. */
  async next(type: string, key?: string): Promise<Answer> {
    for (;;) {
      const at = this.answers.findIndex((one) => one.type === type && (key === undefined || one.key === key));
      const [found] = at < 0 ? [] : this.answers.splice(at, 1);
      if (found) return found;
      if (this.closed) throw new Error(`The connection closed before ${type} came.`);
      await this.change();
    }
  }

  change(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  #changed(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  async untilClosed(): Promise<void> {
    while (!this.closed) await this.change();
  }

  send(type: string, key: string, payload: Buffer = Buffer.alloc(0)): void {
    const head = Buffer.alloc(5);
    head.writeUInt32LE(1 + 16 + payload.length);
    head.write(type, 4, 'latin1');
    this.socket.write(Buffer.concat([head, Buffer.from(key, 'latin1'), payload]));
  }

  spawn(key: string, wish: Wish & { logFolder: string }): void {
    this.send('S', key, spawnPayload(wish));
  }
}

export const newKey = (): string => randomBytes(8).toString('hex');

export function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function spawnPayload(wish: Wish & { logFolder: string }): Buffer {
  const { args, env = { PATH: '/usr/bin:/bin' }, folder = '/', input = 'none', maxLogBytes = 0 } = wish;
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const head = Buffer.alloc(21);
  head.writeUInt8(input === 'none' ? 0 : input === 'pipe' ? 1 : 2, 0);
  head.writeUInt16LE(typeof input === 'object' ? input.cols : 0, 1);
  head.writeUInt16LE(typeof input === 'object' ? input.rows : 0, 3);
  head.writeBigUInt64LE(BigInt(maxLogBytes), 5);
  head.writeUInt32LE(args.length, 13);
  head.writeUInt32LE(variables.length, 17);
  return Buffer.concat([head, Buffer.from([wish.logFolder, folder, ...args, ...variables, ''].join('\0'))]);
}

function answerOf(frame: Buffer): Answer {
  const type = frame.toString('latin1', 0, 1);
  const payload = frame.subarray(17);
  const at = type === 's' ? 5 : 0;
  const number = (offset: number) => (payload.length >= offset + 8 ? Number(payload.readBigUInt64LE(offset)) : 0);
  return {
    type,
    key: frame.toString('latin1', 1, 17),
    stage: type === 's' ? payload.readUInt8(0) : 0,
    errno: type === 's' ? payload.readUInt32LE(1) : 0,
    ok: type === 'w' && payload.readUInt8(0) === 1,
    record: {
      pid: payload.length >= at + 4 ? payload.readUInt32LE(at) : 0,
      startTicks: number(at + 4),
      stdout: number(at + 12),
      stderr: number(at + 20),
      all: number(at + 28),
      ended: (payload[at + 36] ?? 0) > 0,
      exitCode: payload[at + 37] ?? 0,
      signal: payload[at + 38] ?? 0,
    },
  };
}

export type Segment = { start: number; bytes: Buffer };

export async function segmentsOf(folder: string, log: 'stdout' | 'stderr' | 'all'): Promise<Segment[]> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(`${log}-`)).sort();
  return Promise.all(
    names.map(async (name) => ({
      start: Number.parseInt(name.slice(log.length + 1), 16),
      bytes: await readFile(join(folder, name)),
    })),
  );
}

export async function textOf(folder: string, log: 'stdout' | 'stderr'): Promise<string> {
  return Buffer.concat((await segmentsOf(folder, log)).map(({ bytes }) => bytes)).toString();
}

/** The records of `all`, in their order. */
export async function recordsOf(folder: string): Promise<{ stream: number; text: string }[]> {
  const records: { stream: number; text: string }[] = [];
  for (const { bytes } of await segmentsOf(folder, 'all')) {
    for (let at = 0; at < bytes.length; ) {
      const end = at + 5 + bytes.readUInt32LE(at + 1);
      records.push({ stream: bytes.readUInt8(at), text: bytes.toString('latin1', at + 5, end) });
      at = end;
    }
  }
  return records;
}
