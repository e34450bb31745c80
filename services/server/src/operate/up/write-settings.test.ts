// The settings step on a folder that stands for the root of a machine.
import { mkdtempDisposable, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@berth/telemetry';
import { expect, test } from 'vitest';
import type { Choices } from '../install/install-record.ts';
import { openInstallation } from '../install/installation.ts';
import { placesBelow } from '../machine/places.ts';
import type { UpContext } from './up-context.ts';
import { writeSettings } from './write-settings.ts';

const choices: Choices = {
  ...{ email: 'a@example.com', address: '192.0.2.7', withLogs: true, hasAcmeRoot: false, hasWildcard: false },
  takesRunners: false,
};

async function machine() {
  const folder = await mkdtempDisposable(join(tmpdir(), 'berth-machine-'));
  const places = placesBelow(folder.path);
  const context = async (other: Partial<Choices> = {}, version = '1.0.0'): Promise<UpContext> => ({
    ...(await openInstallation(() => {}, places)),
    logger: createLogger({ role: 'test' }, { level: 'error' }),
    choices: { ...choices, ...other },
    release: { folder: '/opt/berth/1.0.0', version },
    imagesFolder: undefined,
    controlImage: undefined,
    archive: undefined,
    acmeRoot: undefined,
    wildcard: undefined,
    agree: async () => true,
  });
  const settings = () => readFile(places.settings, 'utf8');
  return { places, context, settings, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

test('a second run changes nothing, and no file with a secret is readable by others', async () => {
  await using host = await machine();
  expect(await writeSettings.isDone?.(await host.context())).toBe(false);
  await writeSettings.run(await host.context());
  expect(await writeSettings.isDone?.(await host.context())).toBe(true);
  for (const path of [host.places.settings, host.places.postgresPassword, host.places.clickhouseUsers])
    expect((await stat(path)).mode & 0o777).toBe(0o400);
  expect(await host.settings()).toContain((await readFile(host.places.postgresPassword, 'utf8')).trim());
});

test('two machines share no secret', async () => {
  await using one = await machine();
  await using other = await machine();
  for (const host of [one, other]) await writeSettings.run(await host.context());
  const key = async (host: typeof one) => /key: (\S{44})/.exec(await host.settings())?.[1];
  expect(await key(one)).toHaveLength(44);
  expect(await key(one)).not.toBe(await key(other));
});

test('other choices change the settings and keep the secrets', async () => {
  await using host = await machine();
  await writeSettings.run(await host.context());
  const password = await readFile(host.places.postgresPassword, 'utf8');
  expect(await writeSettings.isDone?.(await host.context({ domain: 'example.com' }))).toBe(false);
  await writeSettings.run(await host.context({ domain: 'example.com' }));
  expect(await host.settings()).toContain('https://api.example.com');
  expect(await host.settings()).toContain(password);
});

test('settings that the operator has edited are kept by later runs and versions; other choices are proposed beside them', async () => {
  await using host = await machine();
  await writeSettings.run(await host.context());
  const edited = (await host.settings()).replace('trustedProxies', 'createWaitSeconds: 40\n  trustedProxies');
  await writeFile(host.places.settings, edited);
  expect(await writeSettings.isDone?.(await host.context())).toBe(true);
  await writeSettings.run(await host.context({}, '1.1.0'));
  expect(await host.settings()).toBe(edited);
  const asked = host.context({ domain: 'example.com' });
  await expect(asked.then((context) => writeSettings.run(context))).rejects.toThrow('was edited');
  expect(await host.settings()).toBe(edited);
  expect(await readFile(`${host.places.settings}.proposed`, 'utf8')).toContain('https://api.example.com');
});
