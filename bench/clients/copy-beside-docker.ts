// A folder of many files into a sandbox and back, by the command line and by `docker cp`, in turn.
import { execFile } from 'node:child_process';
import { mkdir, mkdtempDisposable, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { timedMs } from '../support/statistics.ts';
import type { ExecPlace } from './exec-beside-bare.ts';

const root = resolve(import.meta.dirname, '../..');
const files = 2_000;
const fileBytes = 4_096;
const filesPerFolder = 50;
const rounds = 5;
const run = promisify(execFile);

export interface CopyPlace extends ExecPlace {
  readonly container: string;
  readonly dockerUrl: string;
}

/** Milliseconds of each round. */
interface Times {
  readonly ours: number[];
  readonly docker: number[];
}

const newTimes = (): Times => ({ ours: [], docker: [] });

export async function copyBesideDocker(place: CopyPlace) {
  await using made = await mkdtempDisposable(join(tmpdir(), 'berth-copies-'));
  const { path: folder } = made;
  // As users install it: from sources it takes several times as long to start.
  const { stdout } = await run(process.execPath, [join(root, 'scripts/packages.ts'), '--out', folder]);
  const archive = stdout.split('\n').find((line) => line.includes('berth-cli-')) ?? '';
  await run('tar', ['--extract', '--file', archive, '--directory', folder]);
  const berth = (...words: string[]) =>
    run(process.execPath, [join(folder, 'package/dist/berth.js'), ...words], {
      env: { PATH: '/usr/bin:/bin', HOME: folder },
    });
  await berth('login', '--url', place.url, '--key', place.key, '--gateway', place.gatewayUrl, '-w', 'main');
  const docker = (...words: string[]) => run('docker', ['--host', place.dockerUrl, ...words]);
  const source = join(folder, 'source');
  for (let at = 0; at < files; at += 1) {
    const below = join(source, String(Math.floor(at / filesPerFolder)));
    if (at % filesPerFolder === 0) await mkdir(below, { recursive: true });
    await writeFile(join(below, `${at}`), Buffer.alloc(fileBytes, at));
  }
  const times = { there: newTimes(), back: newTimes() };
  for (let round = 0; round < rounds; round += 1) {
    const [ours, theirs, ourCopy, theirCopy] = [
      `/work/ours${round}`,
      `/work/docker${round}`,
      join(folder, 'a'),
      join(folder, 'b'),
    ];
    times.there.ours.push(await timedMs(() => berth('cp', source, `${place.sandbox}:${ours}`)));
    times.there.docker.push(await timedMs(() => docker('cp', source, `${place.container}:${theirs}`)));
    times.back.ours.push(await timedMs(() => berth('cp', `${place.sandbox}:${ours}`, ourCopy)));
    times.back.docker.push(await timedMs(() => docker('cp', `${place.container}:${theirs}`, theirCopy)));
    for (const copy of [ourCopy, theirCopy]) await rm(copy, { recursive: true });
  }
  return times;
}
