// An api with its node listener and one runner, in a process that moves its own clock forward by a year. Prints the
// results of each day as one line of JSON. Handshakes are real, and OpenSSL checks every certificate against the moved
// clock.
import { openSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { ApiConfig, startApi } from '@berth/api';
import { nodePaths, nodeServerName } from '@berth/contract/node';
import { connect } from '@berth/database';
import { createJoinToken, createNodeAuthority, masterKeyRing } from '@berth/identity';
import { PlacementConfig } from '@berth/instances';
import { createLogger, createMetricsRegistry } from '@berth/telemetry';
import { isDueForRenewal } from '@berth/wire';
import type { Identity } from '../../../../runner/src/node/identity.ts';
import { joinDeployment } from '../../../../runner/src/node/join-deployment.ts';
import { keepCertificate } from '../../../../runner/src/node/keep-certificate.ts';
import { createNodeClient } from '../../../../runner/src/node/node-client.ts';

export interface YearProgram {
  readonly databaseUrl: string;
  readonly masterKey: string;
  readonly stateFolder: string;
  /** Eight bytes: how many seconds the clock is ahead. */
  readonly clockFile: string;
  readonly days: number;
  readonly stepDays: number;
}

interface YearDay {
  readonly day: number;
  /** Status of a heartbeat on a new connection, or the error message. */
  readonly answer: number | string;
  /** Serial number of the listener's certificate. */
  readonly listener: string;
  readonly runner: string;
  readonly daysLeft: Readonly<Record<string, number>>;
}

export interface Year {
  readonly year: number;
  readonly days: readonly YearDay[];
  readonly isStreamOpen: boolean;
}

const program: YearProgram = JSON.parse(process.argv[2] ?? '{}');
const secondsPerDay = 86_400;
const lookMs = 5;
const logger = createLogger({ role: 'api' }, { level: 'error' });
const clock = openSync(program.clockFile, 'r+');

function moveTo(day: number): void {
  const seconds = Buffer.alloc(8);
  seconds.writeBigInt64LE(BigInt(day * secondsPerDay));
  writeSync(clock, seconds, 0, 8, 0);
}

const masterKeys = masterKeyRing([{ id: 'test', key: Buffer.from(program.masterKey, 'base64') }]);
const registry = createMetricsRegistry({ role: 'api' });
const api = await startApi({
  config: ApiConfig.parse({ port: 0, node: { port: 0 } }),
  placement: PlacementConfig.parse({}),
  databaseUrl: program.databaseUrl,
  masterKeys,
  logger,
  registry,
  certificateCheckMs: lookMs,
});
const apiUrl = api.nodeAddress ?? '';
const database = connect({ url: program.databaseUrl, maxConnections: 1 });
const authority = await createNodeAuthority(database, masterKeys);
const joinToken = await createJoinToken(database, authority, { region: 'local', lifeSeconds: 600 });
await database.destroy();

let identity: Identity = await joinDeployment({ apiUrl, joinToken, name: 'a-year-old' });
const client = createNodeClient(apiUrl, identity);
const stopping = new AbortController();
const keeping = keepCertificate(identity, {
  client,
  stateFolder: program.stateFolder,
  logger,
  signal: stopping.signal,
  everyMs: lookMs,
  onRenewed: (renewed) => {
    identity = renewed;
  },
});

/** The stream is opened on the first day and never reopened. */
const hello = { protocol: 1, version: 'test', isolation: ['runc'], memoryMb: 4_096, cpus: 2 };
const stream = await client.open(nodePaths.stream, hello, stopping.signal);
let isStreamOpen = true;
stream
  .on('error', () => {})
  .once('close', () => {
    isStreamOpen = false;
  });
const session = await new Promise<number>((resolve) =>
  stream.once('data', (line: Buffer) => resolve(JSON.parse(line.toString().split('\n')[0] ?? '').session)),
);
stream.resume();

/** Sends a heartbeat on a new connection, with the runner's certificate of that day. */
async function heartbeat(): Promise<number | string> {
  const fresh = createNodeClient(apiUrl, identity);
  const body = { session, freeMemoryMb: 100, freeDiskPercent: 50, instances: 0 };
  const answer = await fresh.post(nodePaths.heartbeat, body).then(
    ({ status }) => status,
    (error: Error) => error.message,
  );
  fresh.close();
  return answer;
}

const shown = (): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(apiUrl);
    const options = { host: hostname, port: Number(port), servername: nodeServerName, rejectUnauthorized: false };
    const socket = connectTls(options, () => {
      resolve(socket.getPeerCertificate().serialNumber);
      socket.destroy();
    }).once('error', reject);
  });

async function daysLeft(): Promise<Record<string, number>> {
  const metric = await registry.getSingleMetric('berth_certificate_days_left')?.get();
  return Object.fromEntries(metric?.values.map(({ labels, value }) => [String(labels.certificate), value]) ?? []);
}

/** True when nothing is left to renew today. */
async function isRenewed(): Promise<boolean> {
  const { 'node-listener': listener = 0 } = await daysLeft();
  return !isDueForRenewal(identity.certificate, Date.now()) && listener > 30;
}

/** Bounds the wait for a renewal that never happens; the results then show the failure. */
let patience = 2_000;
const days: YearDay[] = [];
for (let day = 0; day <= program.days; day += program.stepDays) {
  moveTo(day);
  for (; patience > 0 && !(await isRenewed()); patience -= 1) await sleep(lookMs);
  const runner = identity.certificate;
  days.push({ day, answer: await heartbeat(), listener: await shown(), runner, daysLeft: await daysLeft() });
}
const year: Year = { year: new Date().getUTCFullYear(), days, isStreamOpen };
stopping.abort();
await keeping;
client.close();
await api.stop();
process.stdout.write(JSON.stringify(year));
