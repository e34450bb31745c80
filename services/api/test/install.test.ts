// What a new machine fetches before it joins, and the script that it runs: as root in a namespace, where /opt is its own.
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createJoinToken, createNodeAuthority } from '@berth/identity';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

let api: TestApi;
let folder: string;
let archive: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-join-'));
  archive = join(folder, 'release.tar.gz');
  await writeRelease();
  const gateways = [443, 80].map((port) => ({ address: '192.0.2.1', port }));
  api = await startTestApi({ config: { install: { archive, nodeUrl: 'https://192.0.2.1:8081', gateways } } });
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

/** In the form of a release; its program only prints its arguments and the token. */
async function writeRelease(): Promise<void> {
  const release = join(folder, 'berth-9.9.9-linux-x64');
  await mkdir(join(release, 'bin'), { recursive: true });
  await writeFile(join(release, 'release.json'), '{\n "name": "berth",\n "version": "9.9.9"\n}\n');
  const program = '#!/bin/sh\nfor word in "$@"; do echo "<$word>"; done\ncat "$3"\n';
  await writeFile(join(release, 'bin/berth-server'), program, { mode: 0o755 });
  execFileSync('tar', ['--create', '--gzip', '--file', archive, '--directory', folder, 'berth-9.9.9-linux-x64']);
}

async function newToken(lifeSeconds = 600): Promise<string> {
  const authority = await createNodeAuthority(api.database, api.masterKeys);
  return createJoinToken(api.database, authority, { region: 'local', lifeSeconds });
}

const get = (path: string, token?: string, url = api.url): Promise<Response> =>
  fetch(`${url}/install/${path}`, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

test('a join token opens the script and the release as often as it is asked, and is not used up', async () => {
  const token = await newToken();
  for (let round = 0; round < 2; round += 1) {
    const script = await get('join', token);
    expect(script.status).toBe(200);
    expect(await script.text()).toMatch(/^#!\/bin\/sh\napiUrl='http:/);
    const release = await get('release', token);
    expect(release.headers.get('content-length')).toBe(String((await readFile(archive)).length));
    expect(hashOf(await release.bytes())).toBe(hashOf(await readFile(archive)));
  }
  const tokens = await api.database.selectFrom('runner_tokens').select('used_at').execute();
  expect(tokens).toEqual([{ used_at: null }]);
});

test('no token, another text, a key, a used token, an expired token and a token of another deployment get the same refusal', async () => {
  const used = await newToken();
  await api.database.updateTable('runner_tokens').set({ used_at: new Date() }).execute();
  const [secret = ''] = used.split('.');
  const foreign = `${'A'.repeat(secret.length)}.${'0'.repeat(64)}`;
  for (const path of ['join', 'release']) {
    const refusals: string[] = [];
    for (const token of [undefined, 'nothing', api.adminKey, used, await newToken(-1), foreign]) {
      const answer = await get(path, token);
      expect(answer.status).toBe(401);
      refusals.push(await answer.text());
    }
    expect(new Set(refusals).size).toBe(1);
    expect(JSON.parse(refusals[0] ?? '')).toMatchObject({ error: 'join_token_refused' });
  }
});

test('a deployment that keeps no release says so to holders of a token alone', async () => {
  await using other = await startTestApi();
  const authority = await createNodeAuthority(other.database, other.masterKeys);
  const token = await createJoinToken(other.database, authority, { region: 'local', lifeSeconds: 600 });
  for (const path of ['join', 'release']) {
    const answer = await get(path, token, other.url);
    expect([answer.status, await answer.json()]).toEqual([
      404,
      expect.objectContaining({ error: 'install_unavailable' }),
    ]);
    expect((await get(path, undefined, other.url)).status).toBe(401);
  }
});

interface Ran {
  readonly code: number;
  readonly text: string;
}

/** Runs the script of the api with these words, and lists /opt/berth afterwards. */
async function runScript(token: string, ...words: string[]): Promise<Ran> {
  const script = join(folder, 'berth-join.sh');
  await writeFile(script, await (await get('join', token)).text());
  const inside = 'mount -t tmpfs -o size=3g none /opt && code=0 && sh "$@" || code=$?; ls /opt/berth; exit $code';
  const { promise, resolve } = Promise.withResolvers<Ran>();
  execFile(
    'unshare',
    ['--user', '--map-root-user', '--mount', 'sh', '-c', inside, 'sh', script, ...words],
    (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), text: stdout + stderr }),
  );
  return promise;
}

test('the script unpacks the release with the hash of the line and hands over what the deployment says, with the token in a file', async () => {
  const token = await newToken();
  const { code, text } = await runScript(token, token, hashOf(await readFile(archive)), '--yes');
  expect(code, text).toBe(0);
  const words = text.match(/(?<=^<).*(?=>$)/gm);
  expect(words).toEqual([
    ...['join', '--token-file', expect.stringMatching(/^\/opt\/berth\/joining\.\w+\/token$/)],
    ...['--node-url', 'https://192.0.2.1:8081', '--gateways', '192.0.2.1:443,192.0.2.1:80'],
    ...['--sandbox-image', 'example/sandbox:1', '--yes'],
  ]);
  // Printed by the program, and gone with the folder of the script.
  expect(text).toContain(token);
  expect(text).toMatch(/^9\.9\.9$/m);
  expect(text).not.toMatch(/^joining/m);
});

test('a release with a changed byte is not unpacked, and neither is one whose token was used in the meantime', async () => {
  const token = await newToken();
  const changed = await runScript(token, token, '0'.repeat(64));
  expect(changed).toMatchObject({ code: 1, text: expect.stringContaining('does not have the hash of the line') });
  const late = await runScript(token, await newToken(-1), '0'.repeat(64));
  expect(late).toMatchObject({ code: 1, text: expect.stringMatching(/401.*FIX: make a new line/) });
  for (const { text } of [changed, late]) expect(text).not.toMatch(/^9\.9\.9$|^joining/m);
});
