// Releases whose program is a script of the test: it writes down that it ran, and ends as the test wants.
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readRecord, writeRecord } from '../install/install-record.ts';
import { openInstallation } from '../install/installation.ts';
import { requireRecord } from '../install/require-record.ts';
import { Fault } from '../machine/fault.ts';
import { placesBelow } from '../machine/places.ts';
import { moveRelease } from './move-release.ts';

let root = '';
let lines: string[] = [];
const places = () => placesBelow(root);
const ran = async (): Promise<string[]> => (await readFile(join(root, 'ran'), 'utf8')).trim().split('\n');

async function makeRelease(version: string, script: string): Promise<void> {
  const folder = join(places().releases, version);
  await mkdir(join(folder, 'bin'), { recursive: true });
  await writeFile(join(folder, 'release.json'), '{}');
  const program = join(folder, 'bin/berth-server');
  await writeFile(program, `#!/bin/sh\necho "${version} $*" >>${root}/ran\n${script}\n`);
  await chmod(program, 0o755);
}

/** Writes the version into the record, as the step "settings" does. */
const works = (version: string): string =>
  `sed -i 's/^version: .*/version: ${version}/' ${places().record}; echo "canary … done"`;
const fails = (words: string): string => `echo "database … failed"; echo "${words}" >&2; exit 1`;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'berth-upgrade-'));
  lines = [];
  const choices = {
    email: 'a@b',
    address: '192.0.2.7',
    withLogs: false,
    hasAcmeRoot: false,
    hasWildcard: false,
    takesRunners: false,
  };
  const others = { images: {}, broughtImages: [], hasShownKey: true };
  await writeRecord(places().record, { kind: 'deployment', version: '70.2.0', previous: '70.1.0', choices, ...others });
  for (const version of ['70.0.9', '70.1.0', '70.2.0']) await makeRelease(version, works(version));
});
afterEach(() => rm(root, { recursive: true }));

async function move(from: string, to: string): Promise<unknown> {
  const installation = await openInstallation(
    (line) => void lines.push(line),
    places(),
    async () => {
      throw new Error('There is no Docker in this test.');
    },
  );
  expect(requireRecord(installation).version).toBe('70.2.0');
  return moveRelease(
    installation,
    { from, to, isBack: false },
    { 'control-image': '/image.tar', images: undefined },
  ).catch((error: unknown) => error);
}
const recorded = () => readRecord(places().record);
const isThere = (version: string): boolean => existsSync(join(places().releases, version));

test('the new release switches, the release before is kept, and older releases are removed', async () => {
  await makeRelease('70.3.0', works('70.3.0'));
  expect(await move('70.2.0', '70.3.0')).toBeUndefined();
  expect(await ran()).toEqual(['70.3.0 upgrade --switch --control-image /image.tar']);
  expect(await recorded()).toMatchObject({ version: '70.3.0', previous: '70.2.0' });
  expect(await recorded()).not.toHaveProperty('move');
  expect(['70.0.9', '70.1.0', '70.2.0', '70.3.0'].map(isThere)).toEqual([false, false, true, true]);
});

test('while a release switches, the record says from where to where', async () => {
  await makeRelease('70.3.0', `cp ${places().record} ${root}/seen\n${works('70.3.0')}`);
  await move('70.2.0', '70.3.0');
  const seen = await readRecord(join(root, 'seen'));
  expect(seen?.move).toEqual({ from: '70.2.0', to: '70.3.0', isBack: false });
});

test.each([
  ['fails', fails('The column is locked.'), 'The column is locked.'],
  ['is killed', 'kill -9 $$', 'ended by a signal'],
  ['has no program that starts', 'exec /does-not-exist', 'does-not-exist'],
])('when the new release %s, the old one switches back, and the reason is told', async (_, script, reason) => {
  await makeRelease('70.3.0', script);
  const fault = await move('70.2.0', '70.3.0');
  expect(await ran()).toEqual(['70.3.0 upgrade --switch --control-image /image.tar', '70.2.0 upgrade --switch']);
  expect(fault).toBeInstanceOf(Fault);
  expect(String(fault)).toContain(reason);
  expect(String(fault)).toContain('70.2.0 serves again');
  expect(lines).toContain('70.3.0 failed; going back to 70.2.0');
  expect(await recorded()).toMatchObject({ version: '70.2.0', previous: '70.1.0' });
  expect(await recorded()).not.toHaveProperty('move');
  expect(['70.1.0', '70.2.0', '70.3.0'].map(isThere)).toEqual([true, true, false]);
});

test('when the way back fails too, both reasons are told and the move stays recorded', async () => {
  await makeRelease('70.3.0', fails('first reason'));
  await makeRelease('70.2.0', fails('second reason'));
  const fault = await move('70.2.0', '70.3.0');
  expect(String(fault)).toMatch(/first reason[\s\S]*second reason/);
  expect(fault).toMatchObject({ fix: 'remove the cause, then run: berth-server upgrade --back' });
  expect((await recorded())?.move).toEqual({ from: '70.2.0', to: '70.3.0', isBack: false });
  expect(isThere('70.3.0')).toBe(true);
});
