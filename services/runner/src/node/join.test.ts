import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { JoinRequest, nodePaths, RenewRequest } from '@berth/contract/node';
import { createLogger } from '@berth/telemetry';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { answer, type Handle, makeAuthority, startListener } from '../../test/test-listener.ts';
import { makeCertificateRequest } from './certificate-request.ts';
import { isExpired, loadIdentity, needsRenewal } from './identity.ts';
import { joinDeployment } from './join-deployment.ts';
import { createNodeClient } from './node-client.ts';
import { obtainIdentity } from './obtain-identity.ts';
import { renewCertificate } from './renew-certificate.ts';

const authority = await makeAuthority();
const other = await makeAuthority();
const logger = createLogger({ role: 'runner' }, { level: 'silent' });
const runnerId = randomUUID();
const secret = 'one-time-secret';
const joinToken = `${secret}.${authority.fingerprint}`;

let stateFolder = '';
const heard: { path: string; caller: string | undefined }[] = [];

beforeEach(async () => {
  heard.length = 0;
  stateFolder = await mkdtemp(join(tmpdir(), 'berth-runner-'));
});
afterEach(() => rm(stateFolder, { recursive: true, force: true }));

const api: Handle = async (path, body, caller, response) => {
  heard.push({ path, caller });
  if (path === nodePaths.join) {
    const { token, request } = JoinRequest.parse(body);
    if (!token.startsWith(`${secret}.`))
      return answer(response, 401, { error: { message: 'The token is not known.' } });
    const certificate = await authority.certify(request, runnerId);
    return answer(response, 200, { runnerId, certificate, authority: authority.certificate });
  }
  if (caller === undefined) return answer(response, 401, { error: { message: 'Who is this?' } });
  if (path !== nodePaths.renew) return answer(response, 200, {});
  const certificate = await authority.certify(RenewRequest.parse(body).request, caller);
  return answer(response, 200, { certificate, authority: authority.certificate });
};

test('a machine joins with a token and is identified by its certificate from then on', async () => {
  await using listener = await startListener(authority, api);
  const config = { apiUrl: listener.url, joinToken, stateFolder, name: 'machine-1' };
  const identity = await obtainIdentity(config, logger);
  expect(identity.runnerId).toBe(runnerId);
  const client = createNodeClient(listener.url, identity);
  expect((await client.post(nodePaths.heartbeat, {})).status).toBe(200);
  expect(heard.at(-1)).toEqual({ path: nodePaths.heartbeat, caller: runnerId });
  client.close();
});

test('the key file is readable by its owner alone, and a second start does not join again', async () => {
  await using listener = await startListener(authority, api);
  const config = { apiUrl: listener.url, joinToken, stateFolder, name: 'machine-1' };
  const first = await obtainIdentity(config, logger);
  expect((await stat(join(stateFolder, 'identity.json'))).mode & 0o777).toBe(0o600);
  expect(await obtainIdentity({ ...config, joinToken: undefined }, logger)).toEqual(first);
  expect(heard).toHaveLength(1);
});

describe('a machine does not give its secret to', () => {
  const joining = (apiUrl: string) => joinDeployment({ apiUrl, joinToken, name: 'machine-1' });

  test('a listener of another authority', async () => {
    await using listener = await startListener(other, api);
    await expect(joining(listener.url)).rejects.toThrow(/does not belong to the deployment/);
    expect(heard).toEqual([]);
  });

  test('a listener that only shows the right authority, and was not certified by it', async () => {
    await using listener = await startListener(other, api, { presented: authority });
    await expect(joining(listener.url)).rejects.toThrow();
    expect(heard).toEqual([]);
  });

  test('a listener that the authority certified for another name', async () => {
    await using listener = await startListener(authority, api, { name: 'somebody-else.internal' });
    await expect(joining(listener.url)).rejects.toThrow(/altnames/i);
    expect(heard).toEqual([]);
  });
});

test('the error for a refused or unreadable token names the next step', async () => {
  await using listener = await startListener(authority, api);
  const wrong = { apiUrl: listener.url, name: 'machine-1' };
  await expect(joinDeployment({ ...wrong, joinToken: `no.${authority.fingerprint}` })).rejects.toThrow(/not known/);
  await expect(joinDeployment({ ...wrong, joinToken: 'half-a-token' })).rejects.toThrow(/create-join-token/);
  await expect(obtainIdentity({ ...wrong, stateFolder, joinToken: undefined }, logger)).rejects.toThrow(
    /create-join-token/,
  );
  expect(await loadIdentity(stateFolder)).toBeUndefined();
});

test('a certificate is renewed with a new key, and is due with a third of its life left', async () => {
  await using listener = await startListener(authority, api);
  const identity = await joinDeployment({ apiUrl: listener.url, joinToken, name: 'machine-1' });
  const client = createNodeClient(listener.url, identity);
  const renewed = await renewCertificate(client, identity);
  expect(renewed).toMatchObject({ runnerId });
  expect(renewed.key).not.toBe(identity.key);
  client.use(renewed);
  expect((await client.post(nodePaths.heartbeat, {})).status).toBe(200);
  client.close();

  const { request } = await makeCertificateRequest('machine-1');
  const lived = async (from: number, to: number) => ({
    ...identity,
    certificate: await authority.certify(request, runnerId, { from, to }),
  });
  expect(needsRenewal(await lived(-1, 3), Date.now())).toBe(false);
  expect(needsRenewal(await lived(-3, 1), Date.now())).toBe(true);
  const nameless = await authority.certify(request, runnerId, { from: -1, to: 3 }, []);
  expect(needsRenewal({ ...identity, certificate: nameless }, Date.now())).toBe(true);
  expect(isExpired(await lived(-3, 1), Date.now())).toBe(false);
  expect(isExpired(await lived(-3, -1), Date.now())).toBe(true);
});
