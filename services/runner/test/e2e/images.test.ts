import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { bytesPerMb } from '@berth/contract/node';
import { createLogger } from '@berth/telemetry';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { containerRegistry } from '../../../../engines/container-registry.ts';
import { callDocker } from '../../../../engines/docker-api.ts';
import type { RunningEngine } from '../../../../engines/engine.ts';
import { freePort } from '../../../../engines/free-port.ts';
import { tagImage } from '../../../../engines/import-image.ts';
import { runFolder } from '../../../../engines/run.ts';
import { startTestDocker, type TestDocker } from '../../../../engines/test-docker.ts';
import { importTinyImage } from '../../../../engines/tiny-image.ts';
import { startContainer } from '../../../../tests/e2e/engines/container.ts';
import { createDockerDriver } from '../../src/driver/docker-driver.ts';
import { type Driver, PullFailed, type PullFault } from '../../src/driver/driver.ts';
import type { ImageRequest } from '../../src/images/image-rights.ts';
import { createImageStore, type ImageStoreOptions } from '../../src/images/image-store.ts';
import { noRoomFor } from '../../src/images/pull-limits.ts';

const dayMs = 24 * 60 * 60 * 1_000;

let docker: TestDocker;
let registry: RunningEngine;
let driver: Driver;
let tiny = '';
let stateFolder = '';
let now = new Date('2026-01-01T00:00:00Z');

beforeAll(async () => {
  docker = await startTestDocker();
  driver = createDockerDriver({ dockerUrl: docker.url });
  tiny = await importTinyImage(docker.url);
  registry = await containerRegistry.start({ dataFolder: await newFolder(containerRegistry.name) });
  for (const name of ['one', 'two', 'three']) await push(name);
});
afterAll(async () => {
  await docker?.[Symbol.asyncDispose]();
  await registry?.stop();
});
beforeEach(async () => {
  stateFolder = await newFolder('images');
  for (const name of ['one', 'two', 'three']) await driver.removeImage(image(name));
});

const newFolder = async (name: string) => mkdtemp(join(await runFolder(), `${name}-`));
const image = (name: string) => `${new URL(registry.url).host}/${name}:1`;

function account(url: string) {
  const { host, username, password } = new URL(url);
  return { host, username, password };
}

async function push(name: string): Promise<void> {
  const { host, ...credentials } = account(registry.url);
  await tagImage(docker.url, tiny, image(name));
  const auth = Buffer.from(JSON.stringify({ ...credentials, serveraddress: host })).toString('base64url');
  const padded = auth.padEnd(Math.ceil(auth.length / 4) * 4, '=');
  await callDocker(docker.url, `POST /images/${host}/${name}/push?tag=1`, { headers: { 'x-registry-auth': padded } });
  await driver.removeImage(image(name));
}

const openStore = (options: Partial<ImageStoreOptions> = {}) =>
  createImageStore({
    driver,
    stateFolder,
    registries: [account(registry.url)],
    limits: { downloadBytes: 1e12, unpackedBytes: 1e12 },
    maxAgeDays: 7,
    diskPressurePercent: 100,
    logger: createLogger({ role: 'runner' }, { level: 'silent' }),
    now: () => now,
    ...options,
  });

const ignore = () => {};

/** Stands in for a registry of the internet that accepts a connection and never answers. */
async function silentRegistry() {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const sockets = new Set<Socket>();
  silent.on('connection', (socket) => sockets.add(socket));
  const close = () => {
    silent.close();
    for (const socket of sockets) socket.destroy();
  };
  const name = `127.0.0.1:${(silent.address() as AddressInfo).port}/app:1`;
  return { name, connected: once(silent, 'connection'), close };
}
const present = async (...names: string[]) =>
  Promise.all(names.map(async (name) => (await driver.imageId(image(name))) !== undefined));
const [mine, theirs] = [randomUUID(), randomUUID()];
/** An image in the workspace's own folder: the runner may use the operator's password. */
const own = (name: string): ImageRequest => ({ image: name, source: { origin: 'workspace' }, workspaceId: mine });
/** Any image outside that a tenant may name. */
const named = (name: string, workspaceId = theirs): ImageRequest => ({
  image: name,
  source: { origin: 'outside', isListed: true },
  workspaceId,
});

describe('ensure', () => {
  test('an absent image is pulled with the credentials of its registry; an image that the same workspace already has is not pulled', async () => {
    const store = await openStore();
    await store.ensure(own(image('one')), ignore);
    expect(await present('one')).toEqual([true]);
    // A new store, as after a restart, without credentials: the registry would refuse a pull.
    await (await openStore({ registries: [] })).ensure(own(image('one')), ignore);
  });

  test('another workspace’s private image that is here is not used without asking its registry, nor pulled with the operator’s password', async () => {
    const store = await openStore();
    await store.ensure(own(image('one')), ignore);
    await expect(store.ensure(named(image('one')), ignore)).rejects.toMatchObject({ fault: 'refused' });
    await expect(store.ensure(named(image('two')), ignore)).rejects.toMatchObject({ fault: 'refused' });
    expect(await present('one', 'two')).toEqual([true, false]);
    const opened = await openStore({ registries: [{ ...account(registry.url), repositories: ['one'] }] });
    await opened.ensure(named(image('one')), ignore);
    // The workspace was given this image once, so it is used without asking the registry.
    await (await openStore()).ensure(named(image('one')), ignore);
  });

  test('a copy that the operator put there or offers is used without asking', async () => {
    const wish = named('berth-tiny', mine);
    await (await openStore({ shared: ['berth-tiny:latest'] })).ensure(wish, ignore);
    await (await openStore()).ensure({ ...wish, source: { origin: 'deployment' } }, ignore);
  });

  test('the id of an image that is here, whole or short, names nothing', async () => {
    const id = (await driver.imageId(tiny)) ?? '';
    const store = await openStore({ shared: ['*'] });
    await expect(store.ensure(named(id), ignore)).rejects.toMatchObject({ fault: 'missing' });
    await expect(store.ensure(named(id.replace('sha256:', '')), ignore)).rejects.toMatchObject({ fault: 'missing' });
    // A short id reads like a name, so the driver looks for an image of that name.
    expect(await driver.imageId(id.slice('sha256:'.length, 'sha256:'.length + 12))).toBeUndefined();
  });

  test('a registry in a private network is not even connected to, unless it is listed', async () => {
    let connections = 0;
    const inner = createServer((socket) => {
      connections += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(inner, 'listening');
    const name = `127.0.0.1:${(inner.address() as AddressInfo).port}/app:1`;
    const store = await openStore();
    const unlisted = { ...named(name), source: { origin: 'outside' as const } };
    await expect(store.ensure(unlisted, ignore)).rejects.toMatchObject({ message: expect.stringMatching(/no public/) });
    expect(connections).toBe(0);
    const failed = await store.ensure(named(name), ignore).catch((error: unknown) => error);
    expect(failed).toMatchObject({ fault: 'unavailable', message: expect.not.stringMatching(/EOF|reset|refused/) });
    expect(connections).toBeGreaterThan(0);
    inner.close();
  });

  test('many who want the same image share one pull', async () => {
    const store = await openStore();
    const since = Date.now() / 1_000;
    await Promise.all(Array.from({ length: 5 }, () => store.ensure(own(image('one')), ignore)));
    const filters = encodeURIComponent(JSON.stringify({ type: ['image'], event: ['pull'] }));
    const { body } = await callDocker(
      docker.url,
      `GET /events?since=${since}&until=${Date.now() / 1_000}&filters=${filters}`,
    );
    expect(body.toString().trim().split('\n')).toHaveLength(1);
  });

  test('progress grows to the whole', async () => {
    // The engine does not download layers again that it holds, so none of these layers may be left.
    await driver.removeImage(tiny);
    const seen: { done: number; total: number }[] = [];
    await (await openStore()).ensure(own(image('one')), (bytes) => seen.push(bytes));
    await importTinyImage(docker.url);
    expect(seen.length).toBeGreaterThan(0);
    const last = seen.at(-1);
    expect(last?.done).toBe(last?.total);
  });

  const failures: readonly [PullFault, () => ImageRequest, RegExp, []?][] = [
    ['missing', () => own(image('absent')), /has no image .*absent/],
    ['refused', () => own(image('one')), /refuses to give us .*credentials/, []],
    ['missing', () => own('Not/Valid'), /is not the name of an image/],
    ['unavailable', () => ({ image: 'registry.invalid/app:1' }), /registry\.invalid has no public address/],
  ];
  test.each(failures)('%s is told as such', async (fault, wish, message, none) => {
    const store = await openStore(none ? { registries: none } : {});
    const failed = await store.ensure(wish(), ignore).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(PullFailed);
    expect(failed).toMatchObject({ fault, message: expect.stringMatching(message) });
  });

  test('a registry that is down is told as such, and a later attempt is a new one', async () => {
    const name = `127.0.0.1:${await freePort()}/app:1`;
    const store = await openStore();
    for (const _ of [1, 2]) {
      await expect(store.ensure(own(name), ignore)).rejects.toMatchObject({ fault: 'unavailable' });
    }
  });
});

describe('the size of a pull', () => {
  test.each([
    [
      'downloads',
      { downloadBytes: bytesPerMb / 2, unpackedBytes: 1e12 },
      /larger than the 0 MB .*runner\.imageMaxMb\.$/,
    ],
    [
      'unpacks to',
      { downloadBytes: 1e12, unpackedBytes: bytesPerMb },
      /the 1 MB of disk .*runner\.imageMaxUnpackedMb\.$/,
    ],
  ])('an image that %s more than it may is refused for good, and nothing of it stays', async (_, limits, message) => {
    await driver.removeImage(tiny);
    const store = await openStore({ limits });
    const failed = await store.ensure(own(image('one')), ignore).catch((error: unknown) => error);
    await importTinyImage(docker.url);
    expect(failed).toMatchObject({ fault: 'too_large', message: expect.stringMatching(message) });
    expect(await present('one')).toEqual([false]);
    expect(store.runningPulls()).toEqual([]);
  });

  test('a pull that is aborted because the disk is short ends for every waiting instance, with the reason', async () => {
    const { name, connected, close } = await silentRegistry();
    const store = await openStore();
    const waiting = [1, 2].map(() => store.ensure(own(name), ignore).catch((error: unknown) => error));
    await connected;
    const [pull] = store.runningPulls();
    pull?.abort(noRoomFor(name));
    for (const failed of await Promise.all(waiting))
      expect(failed).toMatchObject({ fault: 'no_room', message: expect.stringContaining('nearly full') });
    close();
  });

  test('no pull begins while the disk is short; an image that is there is used', async () => {
    let hasRoom = false;
    const store = await openStore({ hasRoom: () => hasRoom });
    await expect(store.ensure(own(image('one')), ignore)).rejects.toMatchObject({ fault: 'no_room' });
    expect(await present('one')).toEqual([false]);
    hasRoom = true;
    await store.ensure(own(image('one')), ignore);
    hasRoom = false;
    await store.ensure(own(image('one')), ignore);
  });
});

describe('clean', () => {
  test('removes pulled images that were not used since, and none that was there before', async () => {
    await tagImage(docker.url, tiny, image('three'));
    const store = await openStore();
    for (const name of ['one', 'two', 'three']) await store.ensure(own(image(name)), ignore);
    now = new Date(now.getTime() + 5 * dayMs);
    await store.ensure(own(image('two')), ignore);
    now = new Date(now.getTime() + 5 * dayMs);
    expect(await (await openStore()).clean()).toEqual([image('one')]);
    expect(await present('one', 'two', 'three')).toEqual([false, true, true]);
  });

  test('an image that a container uses stays, and is young when the container goes', async () => {
    await driver.removeImage(tiny);
    const store = await openStore();
    await store.ensure(own(image('one')), ignore);
    const id = await startContainer(docker.url, { image: image('one'), runtime: 'runc' });
    now = new Date(now.getTime() + 30 * dayMs);
    expect(await store.clean()).toEqual([]);
    await driver.remove(id);
    expect(await store.clean()).toEqual([]);
    now = new Date(now.getTime() + 8 * dayMs);
    expect(await store.clean()).toEqual([image('one')]);
    await importTinyImage(docker.url);
  });

  test('an image of which sandboxes are to be ready stays, also while none is there', async () => {
    const store = await openStore({ pinned: ['one:1', image('two')] });
    for (const name of ['one', 'two', 'three']) await store.ensure(own(image(name)), ignore);
    now = new Date(now.getTime() + 30 * dayMs);
    expect(await store.clean()).toEqual([image('three')]);
  });

  test('on a full disk young ones go too, oldest first', async () => {
    const store = await openStore({ diskPressurePercent: 0 });
    for (const name of ['two', 'one']) {
      await store.ensure(own(image(name)), ignore);
      now = new Date(now.getTime() + 1_000);
    }
    expect(await store.clean()).toEqual([image('two'), image('one')]);
  });

  test('an image whose pull was cut off by the end of the runner is ours', async () => {
    const { name, connected, close } = await silentRegistry();
    const cutOff = (await openStore()).ensure(own(name), ignore).catch((error: unknown) => error);
    await connected;
    expect(await (await openStore({ diskPressurePercent: 0 })).clean()).toEqual([name]);
    close();
    expect(await cutOff).toMatchObject({ fault: 'unavailable' });
  });
});
