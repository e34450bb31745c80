import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { containerRegistry } from '../../../engines/container-registry.ts';
import { callDocker } from '../../../engines/docker-api.ts';
import { tagImage } from '../../../engines/import-image.ts';
import { runFolder } from '../../../engines/run.ts';
import { startTestDocker, type TestDocker } from '../../../engines/test-docker.ts';
import { importTinyImage } from '../../../engines/tiny-image.ts';
import { runContainer } from './container.ts';

let docker: TestDocker;
let tiny = '';

beforeAll(async () => {
  docker = await startTestDocker();
  tiny = await importTinyImage(docker.url);
});
afterAll(() => docker[Symbol.asyncDispose]());

const newFolder = async () => mkdtemp(join(await runFolder(), `${containerRegistry.name}-`));

/**
 * Docker takes the credentials as a header, and an empty object for none. It silently ignores a value without base64
 * padding.
 */
function credentials(url: string): Record<string, string> {
  const { username, password, host } = new URL(url);
  const auth = username ? { username, password, serveraddress: host } : {};
  const text = Buffer.from(JSON.stringify(auth)).toString('base64').replaceAll('+', '-').replaceAll('/', '_');
  return { 'x-registry-auth': text };
}

const push = async (url: string) => {
  const name = `${new URL(url).host}/tiny`;
  await tagImage(docker.url, tiny, `${name}:1`);
  await callDocker(docker.url, `POST /images/${name}/push?tag=1`, { headers: credentials(url) });
};

const pullAfresh = async (url: string) => {
  const name = `${new URL(url).host}/tiny:1`;
  await callDocker(docker.url, `DELETE /images/${name}`).catch(() => {});
  await callDocker(docker.url, `POST /images/create?fromImage=${name}`, { headers: credentials(url) });
  return runContainer(docker.url, { image: name, runtime: 'runc', command: ['cat', '/www/index.html'] });
};

function variants(url: string): { wrong: string; none: string } {
  const [wrong, none] = [new URL(url), new URL(url)];
  wrong.password = 'wrong';
  [none.username, none.password] = ['', ''];
  return { wrong: wrong.href, none: none.href };
}

test('a registry with a password serves only clients that send it', async () => {
  const registry = await containerRegistry.start({ dataFolder: await newFolder() });
  const { wrong, none } = variants(registry.url);
  try {
    for (const url of [wrong, none]) {
      expect(await containerRegistry.ready(url)).toBe(false);
      await expect(push(url)).rejects.toThrow(/unauthorized|no basic auth credentials/);
    }
    await push(registry.url);
    for (const url of [wrong, none]) {
      await expect(pullAfresh(url)).rejects.toThrow(/unauthorized|no basic auth credentials/);
    }
    expect(await pullAfresh(registry.url)).toMatchObject({ exitCode: 0, output: 'berth\n' });
  } finally {
    await registry.stop();
  }
});

test('an open registry serves every client', async () => {
  const registry = await containerRegistry.start({ dataFolder: await newFolder(), open: true });
  try {
    await push(registry.url);
    expect(await pullAfresh(registry.url)).toMatchObject({ exitCode: 0, output: 'berth\n' });
  } finally {
    await registry.stop();
  }
});

test('a registry has its images, address and password again after a restart', async () => {
  const dataFolder = await newFolder();
  const first = await containerRegistry.start({ dataFolder });
  await push(first.url);
  await first.stop();
  expect(await containerRegistry.ready(first.url)).toBe(false);
  const second = await containerRegistry.start({ dataFolder });
  try {
    expect(second.url).toBe(first.url);
    expect(await pullAfresh(second.url)).toMatchObject({ exitCode: 0 });
  } finally {
    await second.stop();
  }
});
