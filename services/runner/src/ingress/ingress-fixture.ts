// For tests: an ingress with a real certificate in front of containers that are listeners of the test, and a gateway's side.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { ingressServerName, LeaseAnswer, TunnelAnswer } from '@berth/contract';
import { createLogger } from '@berth/telemetry';
import { Bundle, type Channel, parseLine, readLine } from '@berth/wire';
import { makeCertificateRequest } from '../node/certificate-request.ts';
import { makeAuthority } from '../node/listener-fixture.ts';
import type { Admission, Endpoint } from './endpoint.ts';
import type { RunnerCalls } from './runner-calls.ts';
import { leaseSocketName, startIngress } from './start-ingress.ts';
import { TrafficBook } from './traffic-book.ts';

const secret = 'the secret of this session';
const callSecret = 'the secret of the api';

export interface Gateway {
  readonly socket: Channel;
  readonly answer: string | undefined;
}

export async function startTestIngress(drainSeconds = 30, processes = 1, host = '127.0.0.1') {
  const authority = await makeAuthority();
  const runnerId = randomUUID();
  const newIdentity = async () => {
    const { key, request } = await makeCertificateRequest(runnerId);
    return { runnerId, key, certificate: await authority.certify(request, runnerId), authority: authority.certificate };
  };
  const stateFolder = await mkdtemp(join(tmpdir(), 'berth-ingress-'));
  const endpoints = new Map<string, Endpoint>();
  /** What is said of others than those that are open at once. */
  const admissions = new Map<string, () => Promise<Admission>>();
  const open = async (id: string): Promise<Admission> => {
    const endpoint = endpoints.get(id);
    return admissions.get(id)?.() ?? (endpoint === undefined ? { is: 'unknown' } : { is: 'open', endpoint });
  };
  const calls: { -readonly [Name in keyof RunnerCalls]: RunnerCalls[Name] } = {
    adopt: async () => ({ call: 'unknown' }),
    wake: async () => ({ call: 'unknown' }),
    sleep: async () => ({ call: 'unknown' }),
  };
  const traffic = new TrafficBook({ drainSeconds, leaveSeconds: drainSeconds });
  const answers: string[] = [];
  const ingress = await startIngress({
    config: { stateFolder, ingress: { host, port: 0, processes } },
    identity: await newIdentity(),
    instances: { open },
    traffic,
    calls,
    onAnswers: (answer, count) => answers.push(...Array<string>(count).fill(answer)),
    logger: createLogger({ role: 'runner' }, { level: 'silent' }),
  }).catch(async (error: unknown) => {
    await rm(stateFolder, { recursive: true, force: true });
    throw error;
  });
  ingress.take({ ingressSecret: secret, callSecret });
  const port = Number(ingress.address.split(':').at(-1));
  const servers = new Set<() => void>();
  const connectRaw = (): Promise<Socket> =>
    new Promise((resolve, reject) => {
      const servername = ingressServerName(runnerId);
      const options = { host: '127.0.0.1', port, ca: authority.certificate, servername, allowHalfOpen: true };
      const socket = connectTls(options, () => resolve(socket));
      servers.add(() => socket.destroy());
      socket.once('error', reject);
    });
  async function line(using: string) {
    const socket = await connectRaw();
    socket.on('error', () => {});
    socket.write(`${JSON.stringify({ secret: using })}\n`);
    return { socket, answer: parseLine(await readLine(socket, 4_096), TunnelAnswer)?.tunnel };
  }
  /** A connection for many tunnels. */
  async function bundle(using = secret): Promise<Bundle> {
    const { socket, answer } = await line(using);
    if (answer !== 'open') throw new Error(`the answer is ${answer}`);
    return new Bundle(socket);
  }
  const lease = join(stateFolder, leaseSocketName);
  return {
    ...{
      ingress,
      port,
      runnerId,
      secret,
      callSecret,
      authority,
      endpoints,
      admissions,
      calls,
      traffic,
      answers,
      lease,
      newIdentity,
      connectRaw,
    },
    /** A container that does so with every connection. */
    async serve(handle: (socket: Socket) => void): Promise<string> {
      const id = randomUUID();
      const server = createServer({ allowHalfOpen: true }, (socket) => {
        socket.on('error', () => {});
        handle(socket);
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      servers.add(() => server.close());
      const address = server.address();
      if (typeof address !== 'object' || address === null) throw new Error('no address');
      endpoints.set(id, { address: '127.0.0.1', port: address.port });
      return id;
    },
    /** A tunnel, on a connection of its own when none is given. */
    async open(instance: string, on?: Bundle, port?: number): Promise<Gateway> {
      const { channel, answer } = (on ?? (await bundle())).open(JSON.stringify({ instance, port }));
      channel.on('error', () => {});
      return { socket: channel, answer: parseLine(await answer, TunnelAnswer)?.tunnel };
    },
    bundle,
    /** What a gateway with that secret is told. */
    async knock(using: string): Promise<string | undefined> {
      const { socket, answer } = await line(using);
      socket.destroy();
      return answer;
    },
    async ask(instance: string) {
      const socket = connect({ path: lease, allowHalfOpen: true });
      socket.on('error', () => {});
      socket.write(`${JSON.stringify({ instance })}\n`);
      return { socket, answer: parseLine(await readLine(socket, 4_096), LeaseAnswer) };
    },
    async [Symbol.asyncDispose]() {
      await ingress.close(0);
      for (const close of servers) close();
      await rm(stateFolder, { recursive: true, force: true });
    },
  };
}
