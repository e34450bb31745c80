import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serveGuestInProcess } from '../../../tests/harness/guest-in-process.ts';
import { createRunnerSigner } from '../../../tests/harness/runner-signature.ts';

const signer = createRunnerSigner('instance-1');

let folder: string;
let metadata: string;
let variables: Record<string, string>;
let guest: Awaited<ReturnType<typeof serveGuestInProcess>>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'guest-system-'));
  metadata = join(folder, 'metadata.json');
  variables = { ...signer.variables, SANDBOX_LOG_DIR: folder, SERVICE_METADATA_PATH: metadata };
  guest = await serveGuestInProcess(variables, folder);
});
afterEach(async () => {
  await guest[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

type Json = Record<string, unknown> & { error: string };
async function ask(method: string, path: string, body?: string): Promise<{ status: number; body: Json }> {
  const answer = await fetch(`${guest.url}${path}`, { method, ...(body === undefined ? {} : { body }) });
  return { status: answer.status, body: (await answer.json()) as Json };
}

describe('health', () => {
  it('answers every field that clients’ types require, with our runtime under its old name (U-33)', async () => {
    const { status, body } = await ask('GET', '/health');
    expect(status).toBe(200);
    expect(body).toEqual({
      status: 'ok',
      version: expect.any(String),
      gitCommit: expect.any(String),
      buildTime: expect.any(String),
      goVersion: `node ${process.version}`,
      os: 'linux',
      arch: expect.stringMatching(/^(amd64|arm64)$/),
      uptime: expect.stringMatching(/^(\d+h)?(\d+m)?\d+s$/),
      uptimeSeconds: expect.any(Number),
      upgradeCount: 0,
      startedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      lastUpgrade: { status: 'idle', step: 'none', version: expect.any(String) },
    });
  });

  it('HEAD has the headers of GET and no body', async () => {
    const answer = await fetch(`${guest.url}/health`, { method: 'HEAD' });
    expect(answer.status).toBe(200);
    expect(Number(answer.headers.get('content-length'))).toBeGreaterThan(100);
    expect(await answer.text()).toBe('');
  });
});

it.each(['GET', 'POST', 'PUT', 'DELETE', 'PATCH'])('%s / welcomes', async (method) => {
  const { status, body } = await ask(method, '/');
  expect(status).toBe(200);
  expect(Object.keys(body)).toEqual(['message', 'documentation', 'description']);
});

it('U-26 stats tell memory, cpu, processes and the disk of the working directory', async () => {
  const { status, body } = await ask('GET', '/stats');
  expect(status).toBe(200);
  expect(body).toMatchObject({
    memory: { usedBytes: expect.any(Number), limitBytes: expect.any(Number) },
    disk: { path: folder, totalBytes: expect.any(Number), freeBytes: expect.any(Number) },
  });
  expect(Object.keys(body)).toEqual(['memory', 'cpu', 'pids', 'disk']);
});

it.each([undefined, '{}', '{"version":"latest"}', '{"baseUrl":"http://127.0.0.1:1/x"}', 'nonsense'])(
  'R-51 an upgrade is 403 with the reason, whatever is sent (%s)',
  async (body) => {
    const answer = await ask('POST', '/upgrade', body);
    expect(answer.status).toBe(403);
    expect(answer.body.error).toMatch(/Create the sandbox again/);
  },
);

describe('environment reload', () => {
  const reload = () => signer.send(guest.url, { method: 'POST', path: '/environment/reload' });
  const write = (value: unknown) =>
    writeFile(metadata, typeof value === 'string' ? value : JSON.stringify(value), { mode: 0o600 });

  it('R-53 sets what the document holds and unsets what a former one held', async () => {
    await write({ generation: 1, environment: { A: '1', B: '1' } });
    expect(await (await reload()).json()).toMatchObject({ generation: 1, applied: 2, removed: 0 });
    await write({ generation: 2, environment: { B: '2' } });
    expect(await (await reload()).json()).toMatchObject({ generation: 2, applied: 1, removed: 1 });
    expect(variables.A).toBeUndefined();
    expect(variables.B).toBe('2');
  });

  it('R-53 one bad variable does not lose the rest', async () => {
    await write({ generation: 1, environment: { 'A=B': '1', N: 7, GOOD: 'yes' } });
    expect(await (await reload()).json()).toMatchObject({ applied: 1, skipped: ['A=B', 'N'] });
    expect(variables.GOOD).toBe('yes');
  });

  it('no document is 404', async () => {
    expect((await reload()).status).toBe(404);
  });

  it('a document that cannot be read is 500', async () => {
    await write('{"generation":');
    expect((await reload()).status).toBe(500);
    await write({ generation: 'x', environment: {} });
    expect((await reload()).status).toBe(500);
  });
});

describe('tunnel (U-11)', () => {
  const key = Buffer.alloc(32, 7).toString('base64');
  const config = {
    local_ip: '10.7.0.2/32',
    peer_endpoint: '[2001:db8::1]:51820',
    peer_public_key: key,
    private_key: key,
    extra: 1,
  };
  const put = (body: unknown) =>
    signer.send(guest.url, { method: 'PUT', path: '/network/tunnel/config', body: JSON.stringify(body) });
  const encoded = (value: unknown) => ({ config: Buffer.from(JSON.stringify(value)).toString('base64') });

  it('a right configuration is 501: the runtime grants no network administration', async () => {
    const answer = await put(encoded(config));
    expect(answer.status).toBe(501);
    expect(((await answer.json()) as Json).error).toMatch(/network administration/);
  });

  it.each([{}, { config: '' }, { config: 7 }])('a missing or empty configuration (%j) is 400', async (body) => {
    expect((await put(body)).status).toBe(400);
  });

  it.each([
    { ...config, local_ip: '10.7.0.2' },
    { ...config, peer_endpoint: 'host' },
    { ...config, private_key: 'short' },
    { ...config, mtu: 67 },
    { ...config, allowed_ips: ['all'] },
    [],
  ])('an invalid configuration is 422 and shows no value of it', async (value) => {
    const answer = await put(encoded(value));
    expect(answer.status).toBe(422);
    const { error } = (await answer.json()) as Json;
    expect(error).toContain('invalid tunnel config');
    expect(error).not.toContain(key);
  });

  it('a body that cannot be decoded is 422', async () => {
    expect((await put({ config: '!!!' })).status).toBe(422);
  });

  it('ending it is 400: none runs', async () => {
    expect((await signer.send(guest.url, { method: 'DELETE', path: '/network/tunnel' })).status).toBe(400);
  });
});

describe('drives', () => {
  it('none is mounted: the list is empty, never null (R-35)', async () => {
    expect(await ask('GET', '/drives/mount')).toEqual({ status: 200, body: { mounts: [] } });
  });

  it('a right request is 501 and names the next step', async () => {
    const { status, body } = await ask('POST', '/drives/mount', '{"driveName":"data","mountPath":"/data"}');
    expect(status).toBe(501);
    expect(body.error).toMatch(/Keep files in the sandbox/);
  });

  it.each([
    '{',
    '{"mountPath":"/data"}',
    '{"driveName":"-data","mountPath":"/data"}',
    `{"driveName":"${'d'.repeat(129)}","mountPath":"/data"}`,
    '{"driveName":"data","mountPath":""}',
    '{"driveName":"data","mountPath":"/a/../b"}',
    `{"driveName":"data","mountPath":"/${'p'.repeat(512)}"}`,
    '{"driveName":"data","mountPath":"/data","drivePath":"sub"}',
    '{"driveName":"data","mountPath":"/data","uidMap":"-1"}',
  ])('a wrong request is 400', async (body) => {
    expect((await ask('POST', '/drives/mount', body)).status).toBe(400);
  });

  it('R-44 unmounting what is not mounted is 404, nothing named is 400', async () => {
    expect((await ask('DELETE', '/drives/mount/data')).status).toBe(404);
    expect((await ask('DELETE', '/drives/mount/%2Fdata')).status).toBe(404);
    expect((await ask('DELETE', '/drives/mount/')).status).toBe(400);
    expect((await ask('DELETE', '/drives/mount')).status).toBe(400);
  });
});

describe('the description of the API', () => {
  it.each(['/swagger', '/swagger/', '/swagger/openapi.json'])(
    '%s is an OpenAPI document of every route',
    async (path) => {
      const { status, body } = await ask('GET', path);
      expect(status).toBe(200);
      expect(body.openapi).toBe('3.1.0');
      expect(Object.keys(body.paths as object)).toContain('/process/{identifier}/logs/stream');
    },
  );

  it('/swagger/index.html is a page without scripts', async () => {
    const answer = await fetch(`${guest.url}/swagger/index.html`);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const page = await answer.text();
    expect(page).toContain('POST /process');
    expect(page).not.toContain('<script');
  });

  it('anything else below is 404', async () => {
    expect((await ask('GET', '/swagger/other')).status).toBe(404);
  });
});
