// On runc, code calls the machine's kernel. The runner decides which calls are allowed, regardless of the engine's
// version: forbidden calls are tried for real, compared with a container without any filter, and ordinary programs
// still work.
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { buildImage } from '../../../../engines/build-image.ts';
import { callDocker } from '../../../../engines/docker-api.ts';
import { startTestDocker, type TestDocker } from '../../../../engines/test-docker.ts';
import { inspect, startContainer } from '../../../../tests/e2e/engines/container.ts';
import { systemCalls } from '../../../../tests/e2e/sandbox-attacks/attacks.ts';
import { createDockerDriver } from '../../src/driver/docker-driver.ts';
import { seccompProfile } from '../../src/driver/seccomp-profile.ts';

const imageFolder = join(import.meta.dirname, 'seccomp/image');
const attackSource = join(import.meta.dirname, '../../../../tests/e2e/sandbox-attacks/image/attack.c');
const image = 'berth-seccomp:latest';

const Profile = z.object({ syscalls: z.array(z.object({ names: z.array(z.string()), action: z.string() })) });
const allowed = new Set(
  Profile.parse(JSON.parse(seccompProfile)).syscalls.flatMap(({ names, action }) =>
    action === 'SCMP_ACT_ALLOW' ? names : [],
  ),
);

let docker: TestDocker;
let container = '';

beforeAll(async () => {
  docker = await startTestDocker();
  const folder = await mkdtemp(join(tmpdir(), 'berth-seccomp-'));
  try {
    await cp(imageFolder, folder, { recursive: true });
    execFileSync('musl-gcc', ['-static', '-std=gnu11', '-Os', '-s', '-o', join(folder, 'attack'), attackSource]);
    await buildImage(docker.url, image, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const slot = await startContainer(docker.url, { image, runtime: 'runc', command: ['sleep', '100000'] });
  const driver = createDockerDriver({ dockerUrl: docker.url });
  container = await driver.create({
    ...{ name: randomUUID(), image, labels: {}, env: {}, isolation: 'runc', memoryMb: 512, cpus: 64, networkOf: slot },
    entrypoint: ['sleep', '100000'],
  });
  await driver.start(container);
}, 900_000);
afterAll(() => docker?.[Symbol.asyncDispose]());

async function execute(id: string, ...Cmd: string[]): Promise<string> {
  const { Id } = await inspect(docker.url, `POST /containers/${id}/exec`, { Cmd, Tty: true, AttachStdout: true });
  return (await callDocker(docker.url, `POST /exec/${Id}/start`, { json: { Tty: true } })).body.toString();
}

/** Outcome of each attempt, by name. */
async function attempt(id: string, names: readonly string[]): Promise<Map<string, string>> {
  const lines = (await execute(id, '/attack', ...names)).trim().split(/\r?\n/);
  const outcomes = new Map(
    lines.map((line): [string, string] => [line.split('\t')[0] ?? '', line.split('\t')[1] ?? '']),
  );
  expect([...outcomes.keys()]).toEqual(names);
  return outcomes;
}

const granted = (outcomes: ReadonlyMap<string, string>): string[] =>
  [...outcomes].flatMap(([name, outcome]) => (outcome.startsWith('refused') ? [] : [name]));

test('calls that the kernel grants to everybody are refused', async () => {
  const names = systemCalls.map(({ name }) => name);
  const json = { Image: image, Cmd: ['sleep', '100000'], HostConfig: { SecurityOpt: ['seccomp=unconfined'] } };
  const { Id } = await inspect(docker.url, 'POST /containers/create', json);
  await callDocker(docker.url, `POST /containers/${Id}/start`);
  // These four are granted by every kernel that a runner may have; other calls depend on the kernel.
  const unfiltered = await attempt(Id, names);
  expect(granted(unfiltered)).toEqual(
    expect.arrayContaining(['keyring', 'open-tree', 'fixed-addresses', 'clone-user']),
  );
  const outcomes = await attempt(container, names);
  expect(granted(outcomes)).toEqual([]);
  // On these errors programs fall back to an older call.
  expect(outcomes.get('io-uring')).toMatch(/not implemented/);
  expect(outcomes.get('clone3-user')).toMatch(/not implemented/);
  expect(outcomes.get('machine-socket')).toMatch(/Address family not supported/);
  expect(outcomes.get('netlink-xfrm')).toMatch(/Protocol not supported/);
  expect(outcomes.get('32-bit-call')).toMatch(/signal 31/);
});

test('every call of the kernel that is not listed is refused before the kernel looks at its arguments', async () => {
  const header = execFileSync('musl-gcc', ['-E', '-dM', '-include', 'sys/syscall.h', '-x', 'c', '/dev/null'], {
    encoding: 'utf8',
  });
  const calls = [...header.matchAll(/^#define __NR_(\w+) (\d+)$/gm)].filter(([, name = '']) => !allowed.has(name));
  expect(calls.length).toBeGreaterThan(60);
  const outcomes = await attempt(
    container,
    calls.map(([, , number]) => `number-${number}`),
  );
  const others = calls.flatMap(([, name, number]) => {
    const outcome = outcomes.get(`number-${number}`) ?? '';
    return /Operation not permitted|Function not implemented/.test(outcome) ? [] : [`${name}: ${outcome}`];
  });
  expect(others).toEqual([]);
});

test('ordinary programs do their work', async () => {
  const said = await execute(container, 'node', '/ordinary.mjs');
  expect(said.trim().split(/\r?\n/)).toEqual([
    'files',
    'watching',
    'threads',
    'processes',
    'signals',
    'http',
    'datagrams',
    'interfaces',
    'accounts',
    'perl',
    'archives',
    'debuggers',
  ]);
});
