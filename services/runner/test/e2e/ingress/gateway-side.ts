// The steps of a gateway to reach an instance: it finds the runner in the database, and gets its own certificate there.
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { ingressServerName, LeaseAnswer, TunnelAnswer } from '@berth/contract/node';
import { Bundle, type Credentials, readLine } from '@berth/wire';
import type { Fleet } from '../../../../../engines/fleet/fleet.ts';
import type { Machine } from '../../../../../engines/fleet/machine.ts';
import { gatewayCredentials } from '../../../../gateway/test/gateway-credentials.ts';

const known = new WeakMap<Fleet, Credentials>();

function credentialsFor(fleet: Fleet): Credentials {
  const credentials = known.get(fleet) ?? gatewayCredentials(fleet.database);
  known.set(fleet, credentials);
  return credentials;
}

export async function openTunnel(fleet: Fleet, instance: string) {
  const runner = await runnerOf(fleet);
  const [host = '', port] = (runner.ingress_address ?? '').split(':');
  const options = { host, port: Number(port), servername: ingressServerName(runner.id), allowHalfOpen: true };
  const { context } = await credentialsFor(fleet).current();
  const socket = connectTls({ ...options, secureContext: context });
  socket.on('error', () => {});
  socket.write('{}\n');
  const said = TunnelAnswer.parse(await answerOf(socket)).tunnel;
  const bundle = new Bundle(socket);
  if (said !== 'open') bundle.destroy();
  const { channel, answer } = bundle.open(JSON.stringify({ instance }));
  channel.on('error', () => {}).once('close', () => bundle.destroy());
  const tunnel = said === 'open' ? TunnelAnswer.parse(JSON.parse((await answer) ?? 'null')).tunnel : said;
  return { socket: channel, answer: tunnel };
}

export async function openLease(machine: Machine, instance: string) {
  const socket = connect({ path: join(machine.stateFolder, 'ingress.sock'), allowHalfOpen: true });
  socket.on('error', () => {});
  socket.write(`${JSON.stringify({ instance })}\n`);
  return { socket, answer: LeaseAnswer.parse(await answerOf(socket)) };
}

export const runnerOf = ({ database }: Fleet) =>
  database.selectFrom('runners').select(['id', 'ingress_address', 'session']).executeTakeFirstOrThrow();

async function answerOf(socket: Socket): Promise<unknown> {
  const line = await readLine(socket, 4_096);
  if (line === undefined) throw new Error('The runner hung up.');
  return JSON.parse(line);
}
