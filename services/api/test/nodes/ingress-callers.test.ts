// Certificates that a real api issues to each kind of caller, and what they permit at the ingress of a joined runner.
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { ingressCallerName } from '@berth/contract/node';
import { uuidv7 } from '@berth/database';
import { createKeyring } from '@berth/identity';
import { createLogger } from '@berth/telemetry';
import { callRunner, RunnerConnections } from '@berth/wire';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { certifyGateway } from '../../../gateway/src/proxy/certify-gateway.ts';
import { createTunnelConnector } from '../../../gateway/src/proxy/tunnel-connector.ts';
import { gatewayCredentials } from '../../../gateway/test/gateway-credentials.ts';
import { startTestIngress } from '../../../runner/test/test-ingress.ts';
import { createRunnerCalls } from '../../src/sandboxes/runner-calls.ts';
import { ApiWithMachines, type Machine } from './api-with-machines.ts';

const logger = createLogger({ role: 'gateway' }, { level: 'silent' });
const never = new AbortController().signal;
const clientUse = '1.3.6.1.5.5.7.3.2';
let deployment: ApiWithMachines;
let machine: Machine;
let ingress: Awaited<ReturnType<typeof startTestIngress>>;
beforeAll(async () => {
  deployment = await ApiWithMachines.start();
  machine = await deployment.join();
  ingress = await startTestIngress(30, 1, '127.0.0.1', machine.identity);
});
afterAll(async () => {
  await ingress[Symbol.asyncDispose]();
  await deployment[Symbol.asyncDispose]();
});

const newKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ type: 'spki', format: 'pem' }).toString();

test('a gateway without a master key is certified by an api, as a gateway and nothing else', async () => {
  const { database } = deployment.api;
  const publicKey = newKey();
  const certificate = new X509Certificate(await certifyGateway(database, publicKey, never));
  expect(certificate.subjectAltName).toBe(`DNS:${ingressCallerName('gateway')}`);
  expect(certificate.keyUsage).toEqual([clientUse]);
  expect(certificate.publicKey.export({ type: 'spki', format: 'pem' })).toBe(publicKey);
  const days = (certificate.validToDate.getTime() - Date.now()) / 86_400_000;
  expect(Math.round(days)).toBe(3);
  expect(await database.selectFrom('gateway_certificates').selectAll().execute()).toEqual([]);
});

test('a malformed key is dropped, and later requests are answered', async () => {
  const { database } = deployment.api;
  const malformed = { id: uuidv7(), public_key: 'a key' };
  await database.insertInto('gateway_certificates').values(malformed).execute();
  expect(await certifyGateway(database, newKey(), never)).toContain('BEGIN CERTIFICATE');
  expect(await database.selectFrom('gateway_certificates').selectAll().execute()).toEqual([]);
});

test('a gateway that is certified so opens a tunnel, and makes no call', async () => {
  const { database } = deployment.api;
  const credentials = gatewayCredentials(database);
  const { runnerId } = machine.identity;
  const instance = await ingress.serve((socket) => void socket.end('reached'));
  const place = { runnerId, ingress: { address: `127.0.0.1:${ingress.port}` } };
  const tunnels = createTunnelConnector({ credentials, logger });
  expect(await text(await tunnels.connect({ instance, revision: 'rev-1', ...place }))).toBe('reached');
  const lines = new RunnerConnections({ credentials, answerMs: 20_000, refusedMs: 10, logger });
  await expect(callRunner(lines, place, 'wake', { instance }, 20_000)).rejects.toMatchObject({ reason: 'refused' });
  lines.close();
  await tunnels.close();
  credentials.close();
});

test('the api makes calls with a certificate of its own, and needs no secret of the session', async () => {
  const { database, masterKeys } = deployment.api;
  const stream = await machine.connect({ ingress: `127.0.0.1:${ingress.port}`, ingressCredential: 'certificate' });
  expect(stream.ingressSecret).toBeUndefined();
  const { id, ingress_address, ingress_secret } = await deployment.runner(machine.identity.runnerId);
  expect(ingress_secret).toBeNull();
  const calls = createRunnerCalls({ database, masterKeys, keyring: createKeyring(masterKeys), logger });
  const instance = uuidv7();
  ingress.calls.wake = async (heard) => ({ call: heard.instance === instance ? 'done' : 'failed' });
  const runner = { id, ingressAddress: ingress_address, ingressSecret: ingress_secret };
  expect(await calls.call(runner, 'wake', { instance }, 20_000)).toEqual({ call: 'done' });
  expect(new X509Certificate(calls.certificate ?? '').subjectAltName).toBe(`DNS:${ingressCallerName('api')}`);
  calls.close();
  stream.close();
});
