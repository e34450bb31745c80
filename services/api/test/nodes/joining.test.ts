import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { nodePaths, nodeServerName } from '@berth/contract/node';
import { connect } from '@berth/database';
import { createNodeAuthority } from '@berth/identity';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../../../engines/test-database.ts';
import { testMasterKeys } from '../../../../tests/harness/test-api.ts';
import { makeCertificateRequest } from '../../../runner/src/node/certificate-request.ts';
import { createNodeClient } from '../../../runner/src/node/node-client.ts';
import { ApiWithMachines } from './api-with-machines.ts';

let deployment: ApiWithMachines;
beforeAll(async () => {
  deployment = await ApiWithMachines.start();
});
afterAll(() => deployment[Symbol.asyncDispose]());

test('a token lets one machine in, once', async () => {
  const token = await deployment.token();
  const { identity } = await deployment.join('first', token);
  expect(await deployment.runner(identity.runnerId)).toMatchObject({
    name: 'first',
    region: 'local',
    status: 'joined',
  });
  await expect(deployment.join('second', token)).rejects.toThrow(/used already/);
});

test('two machines with one token at the same time: one is let in', async () => {
  const token = await deployment.token();
  const results = await Promise.allSettled([deployment.join('twin-a', token), deployment.join('twin-b', token)]);
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

test('an expired or made-up token admits no machine', async () => {
  await expect(deployment.join('late', await deployment.token(-1))).rejects.toThrow(/expired/);
  const [, fingerprint] = (await deployment.token()).split('.');
  await expect(deployment.join('guess', `nothing.${fingerprint}`)).rejects.toThrow(/not known/);
});

test('without a good token no certificate request is parsed or signed', async () => {
  const { identity } = await deployment.join();
  const stranger = createNodeClient(deployment.api.nodeUrl, { authority: identity.authority });
  const answers = [`nothing.${'0'.repeat(64)}`, await deployment.token(-1)].map((token) =>
    stranger.post(nodePaths.join, { token, name: 'stranger', request: 'no certificate request' }),
  );
  for (const { status, body } of await Promise.all(answers))
    expect([status, body]).toEqual([401, expect.objectContaining({ error: 'join_refused' })]);
  stranger.close();
});

test('a certificate request that cannot be read leaves the token good', async () => {
  const token = await deployment.token();
  const { identity } = await deployment.join();
  const stranger = createNodeClient(deployment.api.nodeUrl, { authority: identity.authority });
  const answer = await stranger.post(nodePaths.join, { token, name: 'clumsy', request: 'no certificate request' });
  expect(answer.status).toBe(400);
  stranger.close();
  await deployment.join('clumsy', token);
});

test('of a caller without a certificate at most 64 KiB are read, and only to join', async () => {
  const { identity } = await deployment.join();
  const stranger = new Agent({ ca: identity.authority, servername: nodeServerName });
  // Sends only the head of the request, so the answer cannot have waited for the body.
  const announce = async (path: string, bytes: number): Promise<number | undefined> => {
    const headers = { 'content-type': 'application/json', 'content-length': bytes };
    const outgoing = request(new URL(path, deployment.api.nodeUrl), { agent: stranger, method: 'POST', headers });
    outgoing.on('error', () => {}).flushHeaders();
    const [incoming]: IncomingMessage[] = await once(outgoing, 'response');
    outgoing.destroy();
    return incoming?.statusCode;
  };
  expect(await announce(nodePaths.join, 64 * 1024 + 1)).toBe(413);
  for (const path of Object.values(nodePaths).filter((each) => each !== nodePaths.join))
    expect([path, await announce(path, 1_000_000)]).toEqual([path, 401]);
  stranger.destroy();
});

test('a name that is taken is refused, and the token stays good', async () => {
  await deployment.join('taken');
  const token = await deployment.token();
  await expect(deployment.join('taken', token)).rejects.toThrow(/runner.name/);
  await deployment.join('free', token);
});

test('a machine does not tell its token to a listener that the token does not vouch for', async () => {
  const [secret] = (await deployment.token()).split('.');
  await expect(deployment.join('cautious', `${secret}.${'0'.repeat(64)}`)).rejects.toThrow(/does not belong/);
});

test('without a certificate nothing but joining is answered', async () => {
  const { identity } = await deployment.join();
  const stranger = createNodeClient(deployment.api.nodeUrl, { authority: identity.authority });
  for (const path of Object.values(nodePaths).filter((each) => each !== nodePaths.join))
    expect([path, (await stranger.post(path, {})).status]).toEqual([path, 401]);
  stranger.close();
});

test('a certificate of another deployment is not accepted, whatever runner it names', async () => {
  const { identity } = await deployment.join();
  const elsewhere = await createTestDatabase();
  const database = connect({ url: elsewhere.url, maxConnections: 1 });
  const foreign = await createNodeAuthority(database, testMasterKeys());
  const { key, request } = await makeCertificateRequest('runner');
  const certificate = await foreign.certifyRunner(request, identity.runnerId);
  await database.destroy();
  await elsewhere.drop();
  const impostor = deployment.machine({ ...identity, key, certificate });
  expect(await impostor.heartbeat(1)).toBe(401);
});

test('a runner that the operator removed is not heard any more', async () => {
  const machine = await deployment.join();
  const { session, close } = await machine.connect();
  close();
  await deployment.api.database.deleteFrom('runners').where('id', '=', machine.identity.runnerId).execute();
  expect(await machine.heartbeat(session)).toBe(401);
});

test('a certificate is renewed for the same runner', async () => {
  const { identity, client } = await deployment.join();
  const { key, request } = await makeCertificateRequest('anything');
  const { status, body } = await client.post(nodePaths.renew, { request });
  expect(status).toBe(200);
  const renewed = deployment.machine({ ...identity, key, ...(body as { certificate: string }) });
  const stream = await renewed.connect();
  expect(await renewed.heartbeat(stream.session)).toBe(200);
});

test('nonsense is refused, not stored', async () => {
  const { client } = await deployment.join();
  for (const path of Object.values(nodePaths))
    for (const body of [null, [], 'text', { session: 'x' }, { reports: [{}] }]) {
      const { status } = await client.post(path, body);
      expect([path, status]).toEqual([path, expect.toBeOneOf([400, 415])]);
    }
});
