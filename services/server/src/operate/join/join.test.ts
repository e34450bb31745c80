// The decisions and files of a machine that joins. A whole machine joins in tests/e2e/install.
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiConfig } from '@berth/api';
import { createLogger, loadConfig } from '@berth/telemetry';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { runnerRole } from '../../roles/runner.ts';
import { serverSections } from '../../sections/server.ts';
import { openInstallation } from '../install/installation.ts';
import { hashOfFile } from '../machine/hash-of-file.ts';
import { placesBelow } from '../machine/places.ts';
import type { JoinContext } from './join-context.ts';
import { decideRunnerChoices, JoinFlags } from './join-flags.ts';
import { prepareJoinLine } from './join-line.ts';
import { writeRunnerSettings } from './write-runner-settings.ts';

const given = { nodeUrl: 'https://192.0.2.1:8081', gateways: '192.0.2.1:443,192.0.2.1:80' };
const found = { address: '192.0.2.9', hostName: 'Two' };
const decide = (flags: object, earlier?: Parameters<typeof decideRunnerChoices>[1]) =>
  decideRunnerChoices(JoinFlags.parse(flags), earlier, found);
const choices = decide(given);

test('a machine joins under its host name and its own address, and a later run without flags keeps that', () => {
  expect(choices).toEqual({
    ...{ name: 'two', address: '192.0.2.9', nodeUrl: 'https://192.0.2.1:8081' },
    gateways: [443, 80].map((port) => ({ address: '192.0.2.1', port })),
  });
  expect(decideRunnerChoices(JoinFlags.parse({}), choices, { address: '198.51.100.1', hostName: 'other' })).toEqual(
    choices,
  );
  expect(decide({ name: 'three' }, choices)).toEqual({ ...choices, name: 'three' });
});

test('without a deployment the way to one is named, and addresses that are none are refused', () => {
  expect(() => decide({})).toThrow('has not joined');
  expect(() => decideRunnerChoices(JoinFlags.parse(given), undefined, { ...found, address: undefined })).toThrow(
    'no IPv4',
  );
  for (const wrong of [{ gateways: 'example.com:443' }, { gateways: '192.0.2.1' }, { nodeUrl: 'http://192.0.2.1:1' }])
    expect(JoinFlags.safeParse(wrong).success).toBe(false);
});

async function machine() {
  const folder = await mkdtempDisposable(join(tmpdir(), 'berth-runner-'));
  const places = placesBelow(folder.path);
  const context = async (other: Partial<JoinContext> = {}): Promise<JoinContext> => ({
    ...(await openInstallation(() => {}, places)),
    logger: createLogger({ role: 'test' }, { level: 'error' }),
    choices,
    release: { folder: '/opt/berth/1.0.0', version: '1.0.0' },
    ...{ imagesFolder: undefined, controlImage: undefined, joinToken: undefined, sandboxImage: 'debian:13' },
    agree: async () => true,
    ...other,
  });
  return { places, context, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

test('the role runner accepts the settings: others reach its ingress, and nothing else', async () => {
  await using host = await machine();
  await writeRunnerSettings.run(await host.context());
  const schema = z.object({ ...runnerRole.sections, ...serverSections([runnerRole]) });
  const config = z.any().parse(loadConfig(schema, { file: host.places.settings, env: {} }));
  expect(config.runner).toMatchObject({
    ...{ name: 'two', apiUrl: 'https://192.0.2.1:8081', gateways: choices.gateways },
    ingress: { host: '192.0.2.9', port: 8_082 },
  });
  expect(config.health).toEqual({ host: '127.0.0.1', ports: expect.objectContaining({ runner: 17_022 }) });
});

test('a second run changes nothing and keeps the image of sandboxes; settings that were edited stay', async () => {
  await using host = await machine();
  expect(await writeRunnerSettings.isDone?.(await host.context())).toBe(false);
  await writeRunnerSettings.run(await host.context());
  const again = { sandboxImage: undefined };
  expect(await writeRunnerSettings.isDone?.(await host.context(again))).toBe(true);
  expect((await host.context()).record()).toMatchObject({
    kind: 'runner',
    images: { BERTH_SANDBOX_IMAGE: 'debian:13' },
  });
  const edited = `${await readFile(host.places.settings, 'utf8')}# mine\n`;
  await writeFile(host.places.settings, edited);
  expect(await writeRunnerSettings.isDone?.(await host.context(again))).toBe(true);
  const renamed = host.context({ choices: { ...choices, name: 'three' } });
  await expect(renamed.then((context) => writeRunnerSettings.run(context))).rejects.toThrow('was edited');
  expect(await readFile(host.places.settings, 'utf8')).toBe(edited);
});

const apiWith = (install: object) => ApiConfig.parse({ publicUrl: 'https://api.example.com', install });

test('the line names the hash of the release, and the authority where it is no public one', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'berth-line-'));
  const archive = join(folder.path, 'release.tar.gz');
  await writeFile(archive, 'a release');
  const api = apiWith({ archive, nodeUrl: 'https://192.0.2.1:8081' });
  const hash = await hashOfFile(archive);
  const open = await prepareJoinLine({ api, authority: undefined });
  expect(open('TOKEN')).toBe(
    `curl -fsS -H 'Authorization: Bearer TOKEN' -o berth-join.sh https://api.example.com/install/join && sh berth-join.sh TOKEN ${hash}`,
  );
  const own = await prepareJoinLine({ api, authority: 'PEM\n' });
  expect(own('TOKEN')).toBe(
    `echo UEVNCg== | base64 -d >berth-ca.pem && curl -fsS --cacert berth-ca.pem -H 'Authorization: Bearer TOKEN' -o berth-join.sh https://api.example.com/install/join && sh berth-join.sh TOKEN ${hash} --cacert berth-ca.pem`,
  );
});

test('a deployment that takes no machines says how it does, before it makes a token', async () => {
  const refused = (install: object) => prepareJoinLine({ api: apiWith(install), authority: undefined });
  await expect(refused({})).rejects.toMatchObject({ fix: 'berth-server up --runners' });
  const nodeUrl = 'https://192.0.2.1:8081';
  await expect(refused({ archive: '/nowhere/release.tar.gz', nodeUrl })).rejects.toThrow('is not at /nowhere');
});
