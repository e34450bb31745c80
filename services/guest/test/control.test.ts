// The runner's access to a sandbox: authentication, and the calls that it may make.
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serveGuestInProcess } from '../../../tests/harness/guest-in-process.ts';
import { createRunnerSigner } from '../../../tests/harness/runner-signature.ts';

const instance = '01890000-0000-7000-8000-000000000001';
const statePath = '/control/v1/state';
const signer = createRunnerSigner(instance);

let folder: string;
let variables: Record<string, string>;
let guest: Awaited<ReturnType<typeof serveGuestInProcess>>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'guest-control-'));
  variables = { ...signer.variables, SANDBOX_LOG_DIR: folder };
  guest = await serveGuestInProcess(variables, folder);
});
afterEach(async () => {
  await guest[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const errorOf = async (answer: Response) => ((await answer.json()) as { error: string }).error;

describe('who is the runner', () => {
  it('a signed request is answered', async () => {
    const answer = await signer.send(guest.url, { path: statePath });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      versions: ['v1'],
      instanceId: instance,
      openRequests: 0,
      keepAliveHolds: 0,
      environmentGeneration: 0,
    });
  });

  it.each([
    ['GET', statePath],
    ['PUT', '/control/v1/environment'],
    ['POST', '/control/v1/quiesce'],
    ['POST', '/control/v1/rehearse'],
    ['POST', '/environment/reload'],
    ['PUT', '/network/tunnel/config'],
    ['DELETE', '/network/tunnel'],
  ])('U-14 %s %s without a signature is 401, also over loopback', async (method, path) => {
    const answer = await fetch(`${guest.url}${path}`, { method });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Runner');
  });

  it('a bearer credential is none: 401', async () => {
    const answer = await fetch(`${guest.url}${statePath}`, { headers: { authorization: 'Bearer x' } });
    expect(answer.status).toBe(401);
  });

  it('a signature of another key is 403', async () => {
    expect((await createRunnerSigner(instance).send(guest.url, { path: statePath })).status).toBe(403);
  });

  it('a signature for another sandbox is 403', async () => {
    expect((await signer.send(guest.url, { path: statePath, instanceId: 'other' })).status).toBe(403);
  });

  // Far outside the minute that is allowed: a signature from the future comes closer while the test runs.
  it.each([-120_000, 120_000])('a signature %d ms from now is 403', async (ms) => {
    expect((await signer.send(guest.url, { path: statePath, issuedAtMs: Date.now() + ms })).status).toBe(403);
  });

  it('the same signature twice is 403, and so is an older one', async () => {
    const authorization = signer.authorization({ path: statePath });
    const older = signer.authorization({ path: statePath, issuedAtMs: Date.now() - 5_000 });
    const send = (value: string) => fetch(`${guest.url}${statePath}`, { headers: { authorization: value } });
    expect((await send(authorization)).status).toBe(200);
    expect((await send(authorization)).status).toBe(403);
    expect(await errorOf(await send(older))).toMatch(/Sign the request again/);
  });

  it('a refused request does not stop the runner: its time is not taken as the last', async () => {
    await createRunnerSigner(instance).send(guest.url, { path: statePath, issuedAtMs: Date.now() + 50_000 });
    expect((await signer.send(guest.url, { path: statePath })).status).toBe(200);
  });

  it('method, path, query and body are covered by the signature', async () => {
    const path = '/control/v1/quiesce';
    const send = (method: string, target: string, authorization: string, body?: string) =>
      fetch(`${guest.url}${target}`, { method, headers: { authorization }, ...(body === undefined ? {} : { body }) });
    const signed = () => signer.authorization({ method: 'POST', path });
    expect((await send('POST', `${path}?x=1`, signed())).status).toBe(403);
    expect((await send('POST', path, signed(), '{}')).status).toBe(403);
    expect((await send('GET', statePath, signed())).status).toBe(403);
    expect((await send('POST', path, signed())).status).toBe(200);
  });

  it.each(['Runner', 'Runner ', 'Runner issuedAtMs=1', 'Runner issuedAtMs=x,nonce=y,signature=z'])(
    'a malformed proof (%s) is refused',
    async (authorization) => {
      const answer = await fetch(`${guest.url}${statePath}`, { headers: { authorization } });
      expect([401, 403]).toContain(answer.status);
    },
  );

  it('without a key no caller is the runner: 403', async () => {
    await using keyless = await serveGuestInProcess({ SANDBOX_INSTANCE_ID: instance }, folder);
    expect((await signer.send(keyless.url, { path: statePath })).status).toBe(403);
  });

  it('another version of the routes is 404', async () => {
    expect((await signer.send(guest.url, { path: '/control/v2/state' })).status).toBe(404);
  });
});

describe('the environment of an adopted sandbox', () => {
  const put = (body: object) =>
    signer.send(guest.url, { method: 'PUT', path: '/control/v1/environment', body: JSON.stringify(body) });

  it('sets any names, keeps them in a private file, and can be sent twice', async () => {
    const body = { generation: 1, environment: { SERVICE_NAME: 'mine', WORKDIR: '/srv', TEXT: 'a\n"b"=c' } };
    expect(await (await put(body)).json()).toEqual({ generation: 1, applied: 3, removed: 0, skipped: [] });
    expect(await (await put(body)).json()).toEqual({ generation: 1, applied: 3, removed: 0, skipped: [] });
    expect(variables).toMatchObject(body.environment);
    expect((await stat(join(folder, 'environment.json'))).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(join(folder, 'environment.json'), 'utf8'))).toEqual(body);
  });

  it('settings follow the variables', async () => {
    await put({ generation: 1, environment: { WORKDIR: '/srv' } });
    expect(guest.guest.settings.workingDirectory).toBe('/srv');
    await put({ generation: 2, environment: {} });
    expect(guest.guest.settings.workingDirectory).toBe(folder);
  });

  it('an older generation is 409', async () => {
    await put({ generation: 2, environment: {} });
    expect((await put({ generation: 1, environment: {} })).status).toBe(409);
  });

  it('a missing or negative generation is 400', async () => {
    expect((await put({ generation: -1, environment: {} })).status).toBe(400);
    expect((await put({ environment: {} })).status).toBe(400);
  });

  it('the runner’s key cannot be replaced by a variable', async () => {
    expect(await (await put({ generation: 1, environment: { SANDBOX_CONTROL_KEY: 'x' } })).json()).toMatchObject({
      skipped: ['SANDBOX_CONTROL_KEY'],
    });
    expect((await signer.send(guest.url, { path: statePath })).status).toBe(200);
  });
});

describe('rest', () => {
  const quiesce = () => signer.send(guest.url, { method: 'POST', path: '/control/v1/quiesce' });

  it('a guest with nothing open is ready, and asking does not make it busy', async () => {
    const before = guest.guest.activity.now().idleMs;
    expect(await (await quiesce()).json()).toEqual({ ready: true, openRequests: 0, keepAliveHolds: 0 });
    expect(guest.guest.activity.now().idleMs).toBeGreaterThanOrEqual(before);
  });

  it('an open request is 409 with what holds', async () => {
    const { port } = new URL(guest.url);
    // A body that never ends: the request stays open until it is torn down.
    const open = request({ port, method: 'POST', path: '/drives/mount', headers: { 'content-length': 10 } });
    open.on('error', () => undefined);
    open.write('{');
    await expect.poll(() => guest.guest.activity.now().open).toBe(1);
    const answer = await quiesce();
    expect(answer.status).toBe(409);
    expect(await answer.json()).toMatchObject({
      ready: false,
      openRequests: 1,
      error: expect.stringMatching(/1 request is open/),
    });
    open.destroy();
    await expect.poll(async () => (await quiesce()).status).toBe(200);
  });
});
