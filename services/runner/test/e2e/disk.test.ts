// The engine's disk does not run full: an instance that writes too much is ended with the reason, before others notice.
// The engine has its own file system, as operators should have it.
import { execFileSync } from 'node:child_process';
import { statfsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bytesPerMb } from '@berth/contract/node';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { containerRegistry } from '../../../../engines/container-registry.ts';
import { callDocker } from '../../../../engines/docker-api.ts';
import { type Fleet, startFleet } from '../../../../engines/fleet/fleet.ts';
import { gvisor } from '../../../../engines/gvisor.ts';
import { metricsOf } from '../../../../tests/harness/metrics-of.ts';
import { instanceState, type Placed, placeInstance, takeBack } from '../../../../tests/harness/placed-instance.ts';
import { isFull } from '../../../../tests/harness/size.ts';
import { pushImageOfZeros } from './disk/image-of-zeros.ts';

// The small size keeps the proportions of the full one, and writes a quarter as much.
const diskMb = isFull ? 4_000 : 1_000;
const diskFiles = isFull ? 200_000 : 100_000;
const instanceMb = diskMb / 10;
const layerMb = diskMb / 20;
/** More than any limit in this test allows. */
const tooMuchMb = diskMb / 4;
const instanceFiles = isFull ? 20_000 : 5_000;
const reservePercent = 20;

let fleet: Fleet;
const placed: Placed[] = [];

beforeAll(async () => {
  await gvisor.install();
  fleet = await startFleet({
    name: 'disk',
    workspaces: ['main', 'other'],
    machines: 1,
    engine: { disk: { sizeMb: diskMb, files: diskFiles }, gvisorLayerSize: `${layerMb}m` },
    settings: {
      BERTH_RUNNER_DISK_MB: String(instanceMb),
      BERTH_RUNNER_DISK_FILES: String(instanceFiles),
      BERTH_RUNNER_DISK_RESERVE_PERCENT: String(reservePercent),
    },
  });
  await fleet.orchestrator.stop();
}, 900_000);
afterAll(() => fleet?.[Symbol.asyncDispose]());

afterEach(async () => {
  await Promise.all(placed.map(({ id }) => takeBack(fleet, id)));
  const isGone = async () =>
    (await Promise.all(placed.map(({ id }) => instanceState(fleet, id)))).map(({ state }) => state);
  await expect.poll(isGone, { timeout: 60_000 }).toEqual(placed.map(() => 'gone'));
  placed.length = 0;
  await expect.poll(async () => (await runnerRow()).is_pressed, { timeout: 60_000 }).toBe(false);
});

const dockerUrl = () => fleet.machines[0]?.dockerUrl ?? '';
const dataFolder = () => join(fleet.machines[0]?.dockerFolder ?? '', 'data');
const freeOf = (): { mb: number; percent: number; files: number } => {
  const { bavail, blocks, bsize, ffree } = statfsSync(dataFolder());
  return { mb: (bavail * bsize) / bytesPerMb, percent: (100 * bavail) / blocks, files: ffree };
};
const runnerRow = () =>
  fleet.database.selectFrom('runners').select(['is_pressed', 'free_disk_percent']).executeTakeFirstOrThrow();

async function place(isolation: 'runc' | 'gvisor', image?: string, workspace = 0): Promise<Placed> {
  const workspaceId = fleet.workspaceIds[workspace] ?? '';
  const instance = await placeInstance(fleet, { workspaceId, isolation, ...(image && { image }) });
  placed.push(instance);
  return instance;
}

/** Runs a script as root of the container, regardless of the image's user. */
async function inside({ container }: Placed, script: string): Promise<string> {
  const json = { Cmd: ['sh', '-c', script], User: '0', AttachStdout: true, AttachStderr: true, Tty: true };
  const { body } = await callDocker(dockerUrl(), `POST /containers/${container}/exec`, { json });
  const started = callDocker(dockerUrl(), `POST /exec/${JSON.parse(body.toString()).Id}/start`, {
    json: { Tty: true },
  });
  return (await started.catch(() => ({ body: '' }))).body.toString();
}

/** Records the lowest free space while something runs. */
function lowWater(): Disposable & { read(): ReturnType<typeof freeOf> } {
  let least = freeOf();
  const timer = setInterval(() => {
    const { mb, percent, files } = freeOf();
    const { min } = Math;
    least = { mb: min(mb, least.mb), percent: min(percent, least.percent), files: min(files, least.files) };
  }, 20);
  return { read: () => least, [Symbol.dispose]: () => clearInterval(timer) };
}

async function failed({ id }: Placed, timeout = 60_000) {
  await expect.poll(async () => (await instanceState(fleet, id)).state, { timeout, interval: 50 }).toBe('failed');
  return instanceState(fleet, id);
}

/** Number of times the runner has counted what instances have written. */
async function counts(): Promise<number> {
  const [machine] = fleet.machines;
  const logFile = join(fleet.folder, 'runner-machine-1.log');
  const metrics = await metricsOf(logFile, async (url) => machine?.inside('curl', '-sS', url) ?? '');
  const counted = metrics.get('berth_runner_disk_count_seconds_count{role="runner"}');
  if (counted === undefined) throw new Error('The runner does not say how often it has counted.');
  return counted;
}

/** Writes nearly as much as an instance may, and waits until the runner has counted it. */
async function writeNearlyAll(instance: Placed): Promise<void> {
  await inside(instance, fill('/some', 0.8 * instanceMb));
  const before = await counts();
  // More than half of what the instance may still write, which the runner counts at once.
  await inside(instance, fill('/more', 0.15 * instanceMb));
  await expect.poll(counts, { timeout: 60_000 }).toBeGreaterThan(before);
}

const fill = (target: string, megabytes: number) =>
  `busybox dd if=/dev/zero of=${target} bs=1048576 count=${Math.floor(megabytes)}`;

describe('on runc', () => {
  test.each([
    ['its layer', fill('/big', tooMuchMb)],
    ['a file that the engine lends it', fill('/etc/hosts', tooMuchMb)],
    ['many files', `i=0; while [ $i -lt ${3 * instanceFiles} ]; do : > /f$i; i=$((i+1)); done`],
    [
      'files that have no name any more',
      `exec 5>/big; busybox rm /big; ${fill('/proc/self/fd/5', tooMuchMb)} >&5; sleep 600`,
    ],
  ])('who writes more than allowed to %s is ended, told why, and takes it along', async (what, script) => {
    const before = freeOf();
    const [neighbour, offender] = await Promise.all([place('runc'), place('runc')]);
    using water = lowWater();
    const startedAt = performance.now();
    const writing = inside(offender, script);
    const { code, message } = await failed(offender);
    const tookMs = performance.now() - startedAt;
    await writing;
    const least = water.read();
    console.log(
      `${what}: ended after ${tookMs.toFixed(0)} ms; at least ${least.mb.toFixed(0)} of ${before.mb.toFixed(0)} MB and ${least.files} of ${before.files} files stayed free`,
    );
    expect(code).toBe('disk_full');
    expect(message).toMatch(/that it may|nearly full/);
    expect(least.mb).toBeGreaterThan(0);
    expect(least.files).toBeGreaterThan(0);
    // ext4 gives some of the freed space back a moment later; the engine itself takes some 60 MB when it starts.
    await expect.poll(() => freeOf().mb, { timeout: 60_000 }).toBeGreaterThan(before.mb - 100);
    expect((await instanceState(fleet, neighbour.id)).state).toBe('ready');
  });

  test('an anonymous volume of its image counts', async () => {
    const { body } = await callDocker(dockerUrl(), 'POST /containers/create', { json: { Image: 'berth-tiny:latest' } });
    const { Id } = JSON.parse(body.toString());
    await callDocker(
      dockerUrl(),
      `POST /commit?${new URLSearchParams({ container: Id, repo: 'with-volume', changes: 'VOLUME /data' })}`,
    );
    await callDocker(dockerUrl(), `DELETE /containers/${Id}`);
    const offender = await place('runc', 'with-volume:latest');
    const writing = inside(offender, fill('/data/big', tooMuchMb));
    expect((await failed(offender)).code).toBe('disk_full');
    await writing;
  });

  test('a sandbox that writes little is left alone', async () => {
    const instance = await place('runc');
    await writeNearlyAll(instance);
    expect((await instanceState(fleet, instance.id)).state).toBe('ready');
  });

  test('when the disk is nearly full, the sandbox with the largest recent writes is ended first, although it is within its limit', async () => {
    const settled = await place('runc');
    await writeNearlyAll(settled);
    const writers = await Promise.all(Array.from({ length: 12 }, () => place('runc')));
    using water = lowWater();
    // Together the writers would need the whole disk; each stays below its limit.
    const writing = writers.map((writer) => inside(writer, fill('/big', 0.9 * instanceMb)));
    await Promise.all(writing);
    await expect.poll(() => freeOf().percent, { timeout: 60_000 }).toBeGreaterThan(reservePercent);
    const least = water.read();
    const states = await Promise.all(writers.map(({ id }) => instanceState(fleet, id)));
    const ended = states.filter(({ code }) => code === 'disk_full');
    console.log(
      `${ended.length} of ${writers.length} were ended; at least ${least.mb.toFixed(0)} MB stayed free (${least.percent.toFixed(1)} %)`,
    );
    expect(ended.length).toBeGreaterThan(0);
    expect(ended.length).toBeLessThan(writers.length / 2);
    expect(ended[0]?.message).toContain('nearly full, and it had written most of late');
    expect((await instanceState(fleet, settled.id)).state).toBe('ready');
  });

  test('a runner whose disk is getting short says so, and no longer once it has room', async () => {
    const filler = join(dataFolder(), 'filler');
    const target = freeOf().mb - (diskMb * (reservePercent * 1.25)) / 100;
    execFileSync('fallocate', ['-l', `${Math.floor(target)}M`, filler]);
    await expect.poll(async () => (await runnerRow()).is_pressed, { timeout: 60_000 }).toBe(true);
    execFileSync('rm', [filler]);
    await expect.poll(async () => (await runnerRow()).is_pressed, { timeout: 60_000 }).toBe(false);
  });
});

test('an image larger than the disk ends no sandbox: the pull is aborted and its layers are removed', async () => {
  const machine = fleet.machines[0];
  const dataFolder = await mkdtemp(join(fleet.folder, 'registry-'));
  const registry = await containerRegistry.start({ dataFolder, open: true, host: machine?.outside ?? '' });
  try {
    const bystanders = await Promise.all([place('runc', undefined, 1), place('gvisor', undefined, 1)]);
    // The first bystander holds much data and keeps writing meanwhile.
    const [busy] = bystanders;
    if (busy) await inside(busy, fill('/some', 0.7 * instanceMb));
    const drip = 'while :; do echo more >> /log; busybox sleep 0.1; done';
    if (busy) void inside(busy, drip);
    const before = freeOf();
    using water = lowWater();
    const image = await pushImageOfZeros(registry.url, 2 * diskMb);
    place('runc', image).catch(() => {});
    const outcome = async (): Promise<string> => {
      const states = await Promise.all(bystanders.map(({ id }) => instanceState(fleet, id)));
      const harmed = states.find(({ state }) => state !== 'ready');
      if (harmed !== undefined) return `a bystander is ${harmed.state}: ${harmed.message}`;
      return (await machine?.runner.linesWith('image.no_room', 1)) ? 'pull aborted' : 'pulling';
    };
    await expect.poll(outcome, { timeout: 120_000 }).not.toBe('pulling');
    expect(await outcome()).toBe('pull aborted');
    // The runner would retry the pull for a while, so the instance is taken back.
    const { id: offender } = await fleet.database
      .selectFrom('instances')
      .select('id')
      .where(sql<string>`spec->>'image'`, '=', image)
      .executeTakeFirstOrThrow();
    await takeBack(fleet, offender);
    await expect.poll(() => freeOf().mb, { timeout: 60_000 }).toBeGreaterThan(before.mb - 50);
    expect(water.read().mb).toBeGreaterThan(0);
    for (const { id } of bystanders)
      expect(await instanceState(fleet, id)).toMatchObject({ state: 'ready', code: null });
  } finally {
    await registry.stop();
  }
});

test('on gVisor a write beyond the limit gets ENOSPC, the disk of the machine does not move further, and it goes on', async () => {
  const instance = await place('gvisor');
  const againMb = Math.floor(layerMb / 4);
  const before = freeOf();
  using water = lowWater();
  const said = await inside(
    instance,
    `${fill('/big', tooMuchMb)}; busybox stat -c %s /big; busybox rm /big; ${fill('/again', againMb)}`,
  );
  await sleep(500);
  const least = water.read();
  console.log(
    `gVisor, ${layerMb} MB: ${said.trim().replaceAll(/\s+/g, ' ')}; the disk moved by ${(before.mb - least.mb).toFixed(0)} MB at most`,
  );
  expect(said).toMatch(/No space left on device/);
  expect(before.mb - least.mb).toBeLessThan(layerMb + 20);
  expect(said).toContain(`${againMb}+0 records out`);
  expect((await instanceState(fleet, instance.id)).state).toBe('ready');
});

test('on gVisor what lies beside the layer is counted like on runc', async () => {
  const offender = await place('gvisor');
  const writing = inside(offender, fill('/etc/hosts', tooMuchMb));
  expect((await failed(offender)).code).toBe('disk_full');
  await writing;
});

test('the runner says in its log which limit holds', async () => {
  const log = execFileSync('grep', ['runner.disk_limit', join(fleet.folder, 'runner-machine-1.log')], {
    encoding: 'utf8',
  });
  expect(JSON.parse(log.split('\n')[0] ?? '')).toMatchObject({ gvisorMb: layerMb, diskMb: instanceMb });
});
