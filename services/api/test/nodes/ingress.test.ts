import { X509Certificate } from 'node:crypto';
import { ingressServerName, nodePaths } from '@berth/contract/node';
import { connect } from '@berth/database';
import { createNodeAuthority, loadNodeAuthorityCertificate } from '@berth/identity';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../../../engines/test-database.ts';
import { makeCertificateRequest } from '../../../runner/src/node/certificate-request.ts';
import { needsRenewal } from '../../../runner/src/node/identity.ts';
import { ApiWithMachines } from './api-with-machines.ts';

let deployment: ApiWithMachines;
beforeAll(async () => {
  deployment = await ApiWithMachines.start();
});
afterAll(() => deployment[Symbol.asyncDispose]());

test('a runner says where gateways reach it, and both hear the same secret', async () => {
  const machine = await deployment.join();
  const stream = await machine.connect({ ingress: 'machine.internal:8082' });
  expect(stream.ingressSecret).toMatch(/^[\w-]{43}$/);
  expect(await deployment.runner(machine.identity.runnerId)).toMatchObject({
    ingress_address: 'machine.internal:8082',
    ingress_secret: stream.ingressSecret,
  });
  stream.close();
});

test('every session has a secret of its own, and the last address stands', async () => {
  const machine = await deployment.join();
  const first = await machine.connect({ ingress: 'machine.internal:8082' });
  const second = await machine.connect();
  expect(second.ingressSecret).not.toBe(first.ingressSecret);
  expect(await deployment.runner(machine.identity.runnerId)).toMatchObject({
    ingress_address: null,
    ingress_secret: second.ingressSecret,
  });
  second.close();
});

test('a certificate names the ingress of its runner alone, serves and calls, and stays so when renewed', async () => {
  const { identity, client } = await deployment.join();
  const { request } = await makeCertificateRequest('node-api.berth.internal');
  const { body } = await client.post(nodePaths.renew, { request });
  const { certificate } = body as { certificate: string };
  for (const text of [identity.certificate, certificate]) {
    const parsed = new X509Certificate(text);
    expect(parsed.subjectAltName).toBe(`DNS:${ingressServerName(identity.runnerId)}`);
    expect(parsed.keyUsage?.toSorted()).toEqual(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']);
    expect(needsRenewal({ ...identity, certificate: text }, Date.now())).toBe(false);
  }
});

test('the certificate of the authority is read without a master key, once there is one', async () => {
  const { api } = deployment;
  const { certificate } = await createNodeAuthority(api.database, api.masterKeys);
  expect(await loadNodeAuthorityCertificate(api.database)).toBe(certificate);
  const elsewhere = await createTestDatabase();
  const database = connect({ url: elsewhere.url, maxConnections: 1 });
  await expect(loadNodeAuthorityCertificate(database)).rejects.toThrow(/no node authority yet/);
  await database.destroy();
  await elsewhere.drop();
});
