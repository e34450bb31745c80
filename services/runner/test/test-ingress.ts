// Test fixture: an ingress with a real certificate, listeners of the test in place of containers, and the gateway's
// side.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { ingressCallerName, ingressServerName, LeaseAnswer, TunnelAnswer } from '@berth/contract/node';
import { createLogger } from '@berth/telemetry';
import { Bundle, type Channel, type Credentials, createCredentials, parseLine, readLine } from '@berth/wire';
import type { Admission, Endpoint } from '../src/ingress/endpoint.ts';
import { InstanceLeases } from '../src/ingress/instance-leases.ts';
import type { RunnerCalls } from '../src/ingress/runner-calls.ts';
import { leaseSocketName, startIngress } from '../src/ingress/start-ingress.ts';
import { makeCertificateRequest } from '../src/node/certificate-request.ts';
import type { Identity } from '../src/node/identity.ts';
import { makeAuthority, type TestAuthority, type Validity } from './test-listener.ts';

const logger = createLogger({ role: 'runner' }, { level: 'silent' });

/** Certificate and key that a caller shows; without them it shows none. */
export interface Card {
  readonly key?: string;
  readonly cert?: string;
}

export interface Gateway {
  readonly socket: Channel;
  readonly answer: string | undefined;
}

/** Creates a certificate as the authority of a deployment issues it to a gateway or an api. */
export async function makeCard(
  authority: TestAuthority,
  name: string,
  validity?: Validity,
  names = name === 'gateway' || name === 'api' ? [ingressCallerName(name)] : [ingressServerName(name)],
): Promise<Required<Card>> {
  const { key, request } = await makeCertificateRequest(name);
  return { key, cert: await authority.certify(request, name, validity, names) };
}

/** `given` is the identity of a runner that has joined a real deployment. */
export async function startTestIngress(drainSeconds = 30, processes = 1, host = '127.0.0.1', given?: Identity) {
  const authority = await makeAuthority();
  const runnerId = given?.runnerId ?? randomUUID();
  const newIdentity = async () => {
    const { key, request } = await makeCertificateRequest(runnerId);
    return { runnerId, key, certificate: await authority.certify(request, runnerId), authority: authority.certificate };
  };
  const cards = { gateway: await makeCard(authority, 'gateway'), api: await makeCard(authority, 'api') };
  const stateFolder = await mkdtemp(join(tmpdir(), 'berth-ingress-'));
  const endpoints = new Map<string, Endpoint>();
  /** Admissions of instances that are not open at once, by instance id; they take precedence over `endpoints`. */
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
  const leases = new InstanceLeases({ drainSeconds, leaveSeconds: drainSeconds });
  const answers: string[] = [];
  const ingress = await startIngress({
    config: { stateFolder, ingress: { host, port: 0, processes } },
    identity: given ?? (await newIdentity()),
    instances: { open },
    leases,
    calls,
    onAnswers: (answer, count) => answers.push(...Array<string>(count).fill(answer)),
    logger,
  }).catch(async (error: unknown) => {
    await rm(stateFolder, { recursive: true, force: true });
    throw error;
  });
  const port = Number(ingress.address.split(':').at(-1));
  const servers = new Set<() => void>();
  const connectRaw = (card: Card = cards.gateway, at = port): Promise<Socket> =>
    new Promise((resolve, reject) => {
      const servername = ingressServerName(runnerId);
      const place = { host: '127.0.0.1', port: at, ca: authority.certificate, servername, allowHalfOpen: true };
      const socket = connectTls({ ...place, ...card }, () => resolve(socket));
      servers.add(() => socket.destroy());
      socket.once('error', reject);
    });
  async function line(card?: Card, words: object = {}, at?: number) {
    const socket = await connectRaw(card, at);
    socket.on('error', () => {});
    socket.write(`${JSON.stringify(words)}\n`);
    return { socket, answer: parseLine(await readLine(socket, 4_096), TunnelAnswer)?.tunnel };
  }
  /** A connection for many tunnels. */
  async function bundle(card?: Card, at?: number): Promise<Bundle> {
    const { socket, answer } = await line(card, {}, at);
    if (answer !== 'open') throw new Error(`the answer is ${answer}`);
    return new Bundle(socket);
  }
  const lease = join(stateFolder, leaseSocketName);
  return {
    ...{
      ingress,
      port,
      runnerId,
      authority,
      cards,
      endpoints,
      admissions,
      calls,
      leases,
      answers,
      lease,
      newIdentity,
      connectRaw,
    },
    /** Starts a stand-in for a container that passes every connection to `handle`; returns the instance's id. */
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
    /** Opens a tunnel, on a new connection when none is given. */
    async open(instance: string, on?: Bundle, port?: number): Promise<Gateway> {
      const { channel, answer } = (on ?? (await bundle())).open(JSON.stringify({ instance, port }));
      channel.on('error', () => {});
      return { socket: channel, answer: parseLine(await answer, TunnelAnswer)?.tunnel };
    },
    bundle,
    /** Credentials to connect as a gateway or an api. */
    credentials(caller: 'gateway' | 'api', now?: () => number): Credentials {
      const credentials = createCredentials({
        authorityPem: async () => authority.certificate,
        certify: (publicKey) => authority.certifyKey(publicKey, ingressCallerName(caller)),
        logger,
        ...(now === undefined ? {} : { now }),
      });
      servers.add(() => credentials.close());
      return credentials;
    },
    /** Returns the ingress's answer to a caller with that certificate and that first line. */
    async knock(card: Card, words?: object): Promise<string | undefined> {
      const { socket, answer } = await line(card, words);
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
