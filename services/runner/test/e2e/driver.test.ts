import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { bytesPerMb } from '@berth/contract/node';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { callDocker } from '../../../../engines/docker-api.ts';
import { gvisor } from '../../../../engines/gvisor.ts';
import { importImage } from '../../../../engines/import-image.ts';
import { startTestDocker, type TestDocker } from '../../../../engines/test-docker.ts';
import { importTinyImage } from '../../../../engines/tiny-image.ts';
import { inspect, startContainer } from '../../../../tests/e2e/engines/container.ts';
import { isolationsOf } from '../../../../tests/harness/workloads.ts';
import { createDockerDriver } from '../../src/driver/docker-driver.ts';
import { type ContainerEvent, containerLabels, type Driver } from '../../src/driver/driver.ts';
import { seccompProfile } from '../../src/driver/seccomp-profile.ts';

const installTimeoutMs = 900_000;
const runnerLabel = { name: containerLabels.runner, value: 'runner-a' };

let docker: TestDocker;
let driver: Driver;
let tiny = '';
let slot = '';

beforeAll(async () => {
  await gvisor.install();
  docker = await startTestDocker();
  driver = createDockerDriver({ dockerUrl: docker.url });
  tiny = await importTinyImage(docker.url);
  slot = await startContainer(docker.url, { image: tiny, runtime: 'runc', command: ['sleep', '100000'] });
}, installTimeoutMs);
afterAll(() => docker[Symbol.asyncDispose]());

afterEach(async () => {
  for (const { id } of await driver.list(runnerLabel)) await driver.remove(id);
});

type Isolation = 'runc' | 'gvisor';

const create = (isolation: Isolation, image = tiny, by = driver) =>
  by.create({
    name: randomUUID(),
    image,
    labels: { [runnerLabel.name]: runnerLabel.value, [containerLabels.instance]: 'i' },
    isolation,
    env: { GREETING: 'hello = world' },
    memoryMb: 64,
    cpus: 64,
    networkOf: slot,
  });

async function started(isolation: Isolation, image = tiny): Promise<string> {
  const id = await create(isolation, image);
  await driver.start(id);
  return id;
}

/** The tiny image with another command. */
async function imageThat(name: string, command: string): Promise<string> {
  const { Id } = await inspect(docker.url, 'POST /containers/create', { Image: tiny });
  const { body } = await callDocker(docker.url, `GET /containers/${Id}/export`);
  await callDocker(docker.url, `DELETE /containers/${Id}`);
  await importImage(docker.url, name, body, ['ENV PATH=/bin', `CMD ${JSON.stringify(['sh', '-c', command])}`]);
  return `${name}:latest`;
}

async function exited(id: string) {
  for (;;) {
    const state = await driver.inspect(id);
    if (state?.status === 'exited') return state;
    await sleep(50);
  }
}

async function execute(id: string, Cmd: readonly string[]): Promise<string> {
  const json = { Cmd, Tty: true, AttachStdout: true };
  const { Id } = await inspect(docker.url, `POST /containers/${id}/exec`, json);
  return (await callDocker(docker.url, `POST /exec/${Id}/start`, { json: { Tty: true } })).body.toString();
}

test('the kernel limits the bytes that a container writes per second', async () => {
  const limited = createDockerDriver({ dockerUrl: docker.url, diskMbPerSecond: 4 });
  const id = await create('runc', await imageThat('waits', 'sleep 100000'), limited);
  await limited.start(id);
  const begunAt = performance.now();
  // Direct I/O, past the cache: with cgroup v1 the kernel does not know which container wrote the data that leaves the
  // cache.
  const said = await execute(id, [
    'busybox',
    'dd',
    'if=/dev/zero',
    'of=/big',
    'bs=1048576',
    'count=12',
    'oflag=direct',
  ]);
  const seconds = (performance.now() - begunAt) / 1_000;
  expect(said).toContain('12+0 records out');
  expect(seconds).toBeGreaterThan(2);
});

test('the driver offers the runtimes of the engine', async () => {
  expect(await driver.isolationClasses()).toEqual(['runc', 'gvisor']);
  const without = createDockerDriver({ dockerUrl: docker.url, runtimes: { runc: 'runc', gvisor: 'absent' } });
  expect(await without.isolationClasses()).toEqual(['runc']);
});

// The small size tests gVisor, which pauses, counts and ends containers in its own way;
// services/runner/test/e2e/converge.test.ts covers runc.
describe.each(isolationsOf('gvisor'))('under $isolation', ({ isolation }) => {
  test('a life: created, running, paused, running, stopped, gone', async () => {
    const id = await create(isolation);
    expect(await driver.inspect(id)).toMatchObject({
      ...{ id, status: 'created', pid: undefined, exitCode: undefined },
      ...{ startedAt: undefined, finishedAt: undefined },
    });
    await driver.start(id);
    const running = await driver.inspect(id);
    expect(running).toMatchObject({ status: 'running', pid: expect.any(Number), labels: { 'berth.instance': 'i' } });
    await driver.start(id);
    await driver.pause({ id });
    expect(await driver.inspect(id)).toMatchObject({ status: 'paused' });
    await driver.unpause({ id });
    await driver.stop(id, 1);
    expect(await driver.inspect(id)).toMatchObject({ status: 'exited', exitCode: expect.any(Number), pid: undefined });
    const { startedAt = 0, finishedAt = 0 } = (await driver.inspect(id)) ?? {};
    expect(Date.now() - startedAt).toBeLessThan(600_000);
    expect(finishedAt).toBeGreaterThan(startedAt);
    await driver.stop(id, 1);
    await driver.remove(id);
    expect(await driver.inspect(id)).toBeUndefined();
    await driver.remove(id);
    await driver.stop(id, 1);
    expect(await driver.stats(id)).toBeUndefined();
  });

  test('a paused one is stopped and removed at once', async () => {
    const [one, other] = [await started(isolation), await started(isolation, await imageThat('sleeper', 'sleep 1000'))];
    for (const id of [one, other]) await driver.pause({ id });
    const begin = Date.now();
    await driver.stop(one, 1);
    await driver.remove(other);
    expect(Date.now() - begin).toBeLessThan(8_000);
  });

  test('removing one twice at the same time is no failure', async () => {
    const id = await started(isolation);
    await Promise.all([driver.remove(id), driver.remove(id), driver.remove(id)]);
    expect(await driver.inspect(id)).toBeUndefined();
  });

  test('its environment, limits and output are as asked for', async () => {
    const image = await imageThat('talker', 'echo $GREETING; sleep 1000');
    const id = await started(isolation, image);
    const { HostConfig } = await inspect(docker.url, `GET /containers/${id}/json`);
    expect(HostConfig).toMatchObject({ Memory: 67_108_864, MemorySwap: 67_108_864, PidsLimit: 4_096 });
    // The test asks for more CPUs than the machine has, so there is no quota.
    expect(HostConfig.CpuQuota).toBe(0);
    const { logFile = '' } = (await driver.inspect(id)) ?? {};
    await expect.poll(() => readFile(logFile, 'utf8')).toContain('hello = world');
  });

  test('limits of a running one grow and shrink', async () => {
    const id = await started(isolation);
    for (const memoryMb of [128, 256, 96]) {
      await driver.update(id, { memoryMb, cpus: 0.5 });
      const { HostConfig } = await inspect(docker.url, `GET /containers/${id}/json`);
      expect(HostConfig).toMatchObject({ Memory: memoryMb * bytesPerMb, CpuQuota: HostConfig.CpuPeriod / 2 });
    }
    expect(await driver.inspect(id)).toMatchObject({ status: 'running' });
  });

  test('its resource usage is reported while it runs', async () => {
    const id = await started(isolation);
    const usage = await driver.stats(id);
    expect(usage?.memoryBytes).toBeGreaterThan(10_000);
    expect(usage?.memoryBytes).toBeLessThan(64 * bytesPerMb);
    expect(usage?.cpuNanoseconds).toBeGreaterThan(1_000_000);
    await driver.stop(id, 0);
    expect(await driver.stats(id)).toBeUndefined();
  });

  test('a container that exceeds its memory reports it', async () => {
    const image = await imageThat('bomb', 'x=aaaaaaaaaaaaaaaa; while true; do x=$x$x; done');
    const state = await exited(await started(isolation, image));
    expect(state).toMatchObject({ outOfMemory: true });
    expect(state.exitCode).not.toBe(0);
  });
});

test.each(['runc', 'gvisor'] as const)(
  'under %s a container has no more rights than a server needs',
  async (isolation) => {
    const id = await started(isolation);
    const status = await execute(id, ['cat', '/proc/self/status']);
    // CHOWN, DAC_OVERRIDE, FOWNER, KILL, SETGID, SETUID and NET_BIND_SERVICE are bits 0, 1, 3, 5, 6, 7 and 10.
    expect(/CapBnd:\s*([0-9a-f]+)/.exec(status)?.[1]).toBe('00000000000004eb');
    if (isolation === 'runc') expect(status).toMatch(/NoNewPrivs:\s*1[\s\S]*Seccomp:\s*2/);
    const { HostConfig } = await inspect(docker.url, `GET /containers/${id}/json`);
    expect(HostConfig).toMatchObject({
      Privileged: false,
      SecurityOpt: ['no-new-privileges', ...(isolation === 'runc' ? [`seccomp=${seccompProfile}`] : [])],
      Ulimits: [{ Name: 'core', Soft: 0, Hard: 0 }],
      RestartPolicy: { Name: 'no' },
      NetworkMode: `container:${slot}`,
      IpcMode: 'private',
    });
  },
);

describe('events', () => {
  test('starts and ends are told from the call on, of our containers only', async () => {
    const ended = new AbortController();
    const events = driver.events(ended.signal);
    await startContainer(docker.url, { image: tiny, runtime: 'runc', command: ['sleep', '0'] });
    const id = await started('runc');
    await driver.remove(id);
    const told: ContainerEvent[] = [];
    for await (const event of events) {
      told.push(event);
      if (event.type === 'destroy') ended.abort();
    }
    expect(told.map(({ type }) => type)).toEqual(['start', 'die', 'destroy']);
    for (const event of told) expect(event).toMatchObject({ id, labels: { 'berth.runner': 'runner-a' } });
  });

  test('the stream ends when its listener goes away', async () => {
    const ended = new AbortController();
    setTimeout(() => ended.abort(), 100);
    expect(await Array.fromAsync(driver.events(ended.signal))).toEqual([]);
    expect(await Array.fromAsync(driver.events(ended.signal))).toEqual([]);
  });
});

test('an engine that is killed ends the stream of events; its containers go on and are found again', async () => {
  const id = await started('runc');
  const before = await driver.inspect(id);
  const reading = Array.fromAsync(driver.events(new AbortController().signal));
  await sleep(500);
  await docker.kill();
  expect(await reading).toEqual([]);
  expect(await Array.fromAsync(driver.events(new AbortController().signal))).toEqual([]);
  await expect(driver.inspect(id)).rejects.toThrow();
  await docker.start();
  expect(await driver.inspect(id)).toEqual(before);
});
