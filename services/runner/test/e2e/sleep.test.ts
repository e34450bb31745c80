// Sleep loses nothing, and every caller is admitted: real guests, frozen and thawed by the runner's keeper. The small
// size tests gVisor; tests/chaos/sandbox-sleep.test.ts tests runc.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { SandboxSettings } from '@berth/contract/node';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { importBaseImage } from '../../../../engines/base-image.ts';
import { startTestDocker, type TestDocker } from '../../../../engines/test-docker.ts';
import { seededRandom } from '../../../../tests/harness/seeded-random.ts';
import { isFull } from '../../../../tests/harness/size.ts';
import { temporaryFolder } from '../../../../tests/harness/temporary-folder.ts';
import { isolationsOf } from '../../../../tests/harness/workloads.ts';
import type { RunningSandbox } from '../../src/sleep/running-sandbox.ts';
import { type SleepOptions, startGateway, startSandbox, startSleepingRunner } from './sleep/sleeping-runner.ts';
import { startWitness } from './sleep/witness.ts';

let docker: TestDocker;
let image = '';
beforeAll(async () => {
  docker = await startTestDocker();
  [image = ''] = await importBaseImage(docker.url);
});
afterAll(() => docker?.[Symbol.asyncDispose]());

/** Idle timeout long enough that no sandbox falls asleep by itself. */
const never = 3_600;
const soon = { timeout: 60_000, interval: 20 };
const wakes = isFull ? 50 : 15;
const killedRunners = isFull ? 8 : 3;

describe.each(isolationsOf('gvisor'))('on $isolation', (isolationClass) => {
  /** One sandbox under a keeper, and a gateway that calls it. */
  async function startSandboxWithGateway(settings: SandboxSettings, more: Partial<SleepOptions> = {}) {
    const folder = await temporaryFolder();
    onTestFinished(() => folder[Symbol.asyncDispose]());
    const options = { dockerUrl: docker.url, stateFolder: folder.path, ...more };
    const started = await startSandbox({ ...options, image }, isolationClass, settings);
    onTestFinished(() => started[Symbol.asyncDispose]());
    const sleeping = await startSleepingRunner(options);
    onTestFinished(() => sleeping[Symbol.asyncDispose]());
    const gateway = startGateway(sleeping.socketPath);
    onTestFinished(() => gateway.close());
    const { sandbox } = started;
    const { instance } = sandbox;
    return {
      ...{ options, sleeping, gateway, sandbox, instance },
      keep: () => sleeping.keep(sandbox),
      isFrozen: () => sleeping.freezer.isFrozen(sandbox),
      put: async () => expect(await sleeping.keeper.sleep(instance)).toEqual({ call: 'done' }),
      exec: async (command: string): Promise<string> =>
        JSON.parse(await gateway.call(instance, 'POST', '/process', { command, waitForCompletion: true, timeout: 20 }))
          .stdout,
    };
  }

  test('wire check 15: process, open file, listener and files are kept over sleep, and the first request after it succeeds', async () => {
    const box = await startSandboxWithGateway({ idleSeconds: 0.3 });
    box.keep();
    const witness = await startWitness(box.gateway, box.instance);
    expect(await witness.see()).toEqual({ count: 1, file: 'kept', pid: witness.pid });
    await box.exec('echo written > /root/before');
    await expect.poll(box.isFrozen, soon).toBe(true);
    await expect.poll(() => box.sleeping.news.at(-1), soon).toMatchObject({ awake: false });
    expect(box.sleeping.news.at(-1)?.usedMsAgo).toBeGreaterThanOrEqual(300);
    expect(await witness.see()).toEqual({ count: 2, file: 'kept', pid: witness.pid });
    expect(box.sleeping.news.at(-1)).toMatchObject({ awake: true, usedMsAgo: 0 });
    await box.put();
    expect(await box.exec('cat /root/before')).toBe('written\n');
    expect(box.sleeping.counts.thaw).toBe(2);
  });

  test('asleep it takes no CPU at all, whatever runs inside', async () => {
    const box = await startSandboxWithGateway({ idleSeconds: never });
    box.keep();
    await box.gateway.call(box.instance, 'POST', '/process', { command: 'while :; do :; done', name: 'busy' });
    const cpuMs = async (): Promise<number> =>
      ((await box.sleeping.driver.stats(box.sandbox.containerId))?.cpuNanoseconds ?? Number.NaN) / 1e6;
    const staysBusy = async (): Promise<void> => {
      const before = await cpuMs();
      await expect.poll(cpuMs, soon).toBeGreaterThan(before + 50);
    };
    await staysBusy();
    await box.put();
    // The kernel may account the CPU time of the last moments before the freeze a little later.
    const cpuMsOfASecond = async (): Promise<number> => {
      const before = await cpuMs();
      await sleep(1_000);
      return (await cpuMs()) - before;
    };
    await expect.poll(cpuMsOfASecond, soon).toBe(0);
    expect(await box.exec('echo here')).toBe('here\n');
    await staysBusy();
  });

  test('R-60: a connection that is opened during a freeze waits, and is answered', async () => {
    const box = await startSandboxWithGateway({ idleSeconds: never });
    box.keep();
    const witness = await startWitness(box.gateway, box.instance);
    const random = seededRandom(60);
    for (let round = 1; round <= 15; round += 1) {
      const asleep = box.sleeping.keeper.sleep(box.instance);
      await sleep(random() * (isolationClass.isolation === 'runc' ? 3 : 40));
      expect((await witness.see()).count).toBe(round);
      // The sandbox slept before that request, or after it, or the request came first and prevented the sleep.
      expect(['done', 'failed', 'unchanged']).toContain((await asleep).call);
    }
    expect(box.sleeping.counts.freeze).toBeGreaterThan(0);
  });

  test('an open stream keeps it awake, and its end lets it sleep', async () => {
    const box = await startSandboxWithGateway({ idleSeconds: 0.3 });
    box.keep();
    await box.gateway.call(box.instance, 'POST', '/process', { command: 'sleep 3600', name: 'quiet' });
    const stream = await box.gateway.open(box.instance, 'GET', '/process/quiet/logs/stream');
    stream.on('error', () => {}).resume();
    await sleep(2_500);
    expect(box.sleeping.counts.freeze).toBe(0);
    expect(await box.sleeping.keeper.sleep(box.instance)).toMatchObject({ call: 'failed', message: /connected/ });
    stream.destroy();
    await expect.poll(box.isFrozen, soon).toBe(true);
  });

  test('a keepAlive process keeps it awake; who asks for sleep gets it all the same', async () => {
    const box = await startSandboxWithGateway({ idleSeconds: 0.3 }, { leaseKeepMs: 50 });
    box.keep();
    const wish = { command: 'sleep 3600', name: 'alive', keepAlive: true, timeout: 0 };
    await box.gateway.call(box.instance, 'POST', '/process', wish);
    await sleep(2_500);
    expect(box.sleeping.counts.freeze).toBe(0);
    await box.put();
    expect(await box.isFrozen()).toBe(true);
    expect(await box.sleeping.keeper.sleep(box.instance)).toEqual({ call: 'unchanged' });
    expect(await box.sleeping.keeper.wake(box.instance)).toEqual({ call: 'done' });
    expect(await box.sleeping.keeper.wake(box.instance)).toEqual({ call: 'unchanged' });
    await box.gateway.call(box.instance, 'DELETE', '/process/alive');
    await expect.poll(box.isFrozen, soon).toBe(true);
  });

  test(`${wakes} sleeps and wakes at random moments lose no request`, async () => {
    const box = await startSandboxWithGateway({ idleSeconds: 0.02 }, { leaseKeepMs: 1 });
    box.keep();
    const witness = await startWitness(box.gateway, box.instance);
    const seed = 15;
    const random = seededRandom(seed);
    let [asked, before] = [0, 0];
    for (let round = 0; round < 40 * wakes && box.sleeping.counts.thaw < wakes; round += 1) {
      const together = 1 + Math.floor(random() * 3);
      const seen = await Promise.all(Array.from({ length: together }, () => witness.see()));
      asked += together;
      expect(Math.max(...seen.map(({ count }) => count)), `seed ${seed}`).toBe(before + together);
      before += together;
      await sleep(random() * 120);
    }
    const { freeze, thaw } = box.sleeping.counts;
    console.log(`${isolationClass.isolation}: ${asked} requests, ${freeze} freezes, ${thaw} thaws`);
    expect(thaw).toBe(wakes);
    expect(freeze - thaw).toBeGreaterThanOrEqual(0);
    expect(freeze - thaw).toBeLessThanOrEqual(1);
    expect((await witness.see()).file).toBe('kept');
  });

  test('two hundred who come at once wake it once', async () => {
    const box = await startSandboxWithGateway({ idleSeconds: never });
    box.keep();
    const witness = await startWitness(box.gateway, box.instance);
    await box.put();
    const gateways = Array.from({ length: 20 }, () => startGateway(box.sleeping.socketPath));
    const opens = gateways.flatMap((gateway) =>
      Array.from({ length: 10 }, () => gateway.call(box.instance, 'GET', '/', undefined, 9_000)),
    );
    expect((await Promise.all(opens)).every((said) => said.endsWith(` kept ${witness.pid}`))).toBe(true);
    expect(box.sleeping.counts.thaw).toBe(1);
    expect((await witness.see()).count).toBe(201);
    await Promise.all(gateways.map((gateway) => gateway.close()));
  });

  test('the calls wake and sleep find a lease that nobody uses no reason to refuse', async () => {
    const box = await startSandboxWithGateway({ idleSeconds: never }, { leaseKeepMs: 60_000 });
    box.keep();
    await box.gateway.call(box.instance, 'GET', '/health');
    expect(box.sleeping.leases.count).toBe(1);
    await box.put();
    expect(box.sleeping.leases.count).toBe(0);
    expect(await box.sleeping.keeper.sleep('unknown')).toEqual({ call: 'unknown' });
    expect(await box.sleeping.keeper.wake('unknown')).toEqual({ call: 'unknown' });
    expect(await box.sleeping.keeper.open('unknown')).toEqual({ is: 'unknown' });
  });

  test('a sandbox that is deleted during its freeze or asleep is gone', async () => {
    for (const isAsleep of [false, true]) {
      const box = await startSandboxWithGateway({ idleSeconds: never });
      box.keep();
      const asleep = box.sleeping.keeper.sleep(box.instance);
      if (isAsleep) await asleep;
      await box.sleeping.keeper.release(box.instance);
      expect(await box.isFrozen()).toBe(false);
      const startedAt = performance.now();
      await box.sleeping.driver.remove(box.sandbox.containerId);
      expect(performance.now() - startedAt).toBeLessThan(10_000);
      box.sleeping.keeper.forget(box.instance);
      expect(await box.sleeping.keeper.open(box.instance)).toEqual({ is: 'unknown' });
      await asleep;
    }
  });

  test('a released sandbox stays awake until the keeper gets it again, with its new settings', async () => {
    const box = await startSandboxWithGateway({ idleSeconds: 0.2 });
    box.keep();
    await expect.poll(box.isFrozen, soon).toBe(true);
    await box.sleeping.keeper.release(box.instance);
    expect(await box.exec('echo here')).toBe('here\n');
    await sleep(2_000);
    expect(await box.isFrozen()).toBe(false);
    expect(await box.sleeping.keeper.sleep(box.instance)).toMatchObject({ call: 'failed', message: /changed/ });
    box.sleeping.keep({ ...box.sandbox, settings: { idleSeconds: never } });
    await sleep(1_500);
    expect(await box.isFrozen()).toBe(false);
    box.keep();
    await expect.poll(box.isFrozen, soon).toBe(true);
  });

  test('a container that ended in its sleep is no failure, and the process that reuses its pid is left alone', async () => {
    const box = await startSandboxWithGateway({ idleSeconds: never });
    box.keep();
    await box.put();
    await box.sleeping.freezer.thaw(box.sandbox);
    await box.sleeping.driver.remove(box.sandbox.containerId);
    await box.sleeping.freezer.thaw(box.sandbox);
    expect(await box.isFrozen()).toBe(false);
    await expect(box.sleeping.freezer.freeze(box.sandbox)).rejects.toThrow();
    expect(await box.sleeping.keeper.open(box.instance)).toEqual({ is: 'open' });
    const stranger = { ...box.sandbox, isolation: 'runc', pid: process.pid } as const;
    await expect(box.sleeping.freezer.freeze(stranger)).rejects.toThrow('ended');
  });

  test('a guest that does not answer is still put to sleep, since no client is connected to it', async () => {
    const box = await startSandboxWithGateway({ idleSeconds: 0.1 });
    box.sleeping.keep({ ...box.sandbox, port: 1 });
    await expect.poll(box.isFrozen, soon).toBe(true);
  });

  test('an unused sandbox is reported as expired asleep or awake, not while a client is connected, and after a restart', async () => {
    const box = await startSandboxWithGateway({ idleSeconds: 0.2, expiresIdleSeconds: 2 }, { leaseKeepMs: 50 });
    box.keep();
    await box.gateway.call(box.instance, 'POST', '/process', { command: 'sleep 3600', name: 'quiet' });
    const stream = await box.gateway.open(box.instance, 'GET', '/process/quiet/logs/stream');
    stream.on('error', () => {}).resume();
    await sleep(3_000);
    expect(box.sleeping.news.filter(({ isExpired }) => isExpired)).toEqual([]);
    const leftAt = performance.now();
    stream.destroy();
    await expect.poll(() => box.sleeping.news.at(-1), soon).toMatchObject({ isExpired: true });
    expect(performance.now() - leftAt).toBeGreaterThan(1_900);
    expect(await box.isFrozen()).toBe(true);
    await sleep(500);
    expect(box.sleeping.news.filter(({ isExpired }) => isExpired)).toHaveLength(1);
    await box.sleeping[Symbol.asyncDispose]();
    await using again = await startSleepingRunner(box.options);
    again.keep(box.sandbox);
    await expect.poll(() => again.news.at(-1), soon).toMatchObject({ awake: false, isExpired: true });
    expect(again.counts).toMatchObject({ freeze: 0, thaw: 0 });
  });

  test('a runner that starts again leaves a sleeping one asleep, and wakes it for the next who comes', async () => {
    const box = await startSandboxWithGateway({ idleSeconds: never });
    box.keep();
    const witness = await startWitness(box.gateway, box.instance);
    await box.put();
    await box.gateway.close();
    await box.sleeping[Symbol.asyncDispose]();
    await using again = await startSleepingRunner(box.options);
    again.keep(box.sandbox);
    await expect.poll(() => again.news.at(-1), soon).toMatchObject({ awake: false });
    await sleep(500);
    expect(await box.isFrozen()).toBe(true);
    expect(again.counts).toMatchObject({ freeze: 0, thaw: 0 });
    expect(await witness.see()).toMatchObject({ count: 1, file: 'kept', pid: witness.pid });
  });

  test('a runner that is killed while it freezes or wakes leaves nothing that the next one cannot use', async () => {
    const box = await startSandboxWithGateway({ idleSeconds: never });
    box.keep();
    const witness = await startWitness(box.gateway, box.instance);
    await box.gateway.close();
    await box.sleeping[Symbol.asyncDispose]();
    const random = seededRandom(6);
    for (let round = 1; round <= killedRunners; round += 1) {
      const { child } = await startProcess(box.options, { ...box.sandbox, settings: { idleSeconds: 0.03 } });
      await sleep(random() * 120);
      child.kill('SIGKILL');
      await once(child, 'exit');
      const { child: next } = await startProcess(box.options, box.sandbox);
      expect(await witness.see()).toEqual({ count: round, file: 'kept', pid: witness.pid });
      next.kill('SIGKILL');
      await once(next, 'exit');
    }
  });

  test('an engine that is killed and starts again while it sleeps changes nothing', async () => {
    const box = await startSandboxWithGateway({ idleSeconds: never });
    box.keep();
    const witness = await startWitness(box.gateway, box.instance);
    await box.put();
    await docker.kill();
    await docker.start();
    expect(await box.isFrozen()).toBe(true);
    expect(await witness.see()).toMatchObject({ count: 1, file: 'kept', pid: witness.pid });
    await box.put();
    expect((await witness.see()).count).toBe(2);
  });

  test('with memory short the longest idle goes to sleep first; when that is not enough, it is busy for now', async () => {
    // The machine has free memory again as soon as a second sandbox sleeps.
    const freeMemoryMb = (): number => ((box?.sleeping.keeper.counts().asleep ?? 0) < 2 ? 100 : 600);
    let box: Awaited<ReturnType<typeof startSandboxWithGateway>> | undefined;
    box = await startSandboxWithGateway({ idleSeconds: never }, { wakeReserveMb: 512, freeMemoryMb });
    box.keep();
    await box.put();
    expect(box.sleeping.keeper.isPressed).toBe(true);
    await expect(box.gateway.call(box.instance, 'GET', '/health')).rejects.toMatchObject({
      reason: 'busy',
      retryAfterSeconds: expect.any(Number),
    });
    expect(await box.sleeping.keeper.wake(box.instance)).toMatchObject({ call: 'busy' });
    expect(await box.isFrozen()).toBe(true);
    const [idle, idler] = await Promise.all([another(box.options), another(box.options)]);
    box.sleeping.keep(idler);
    await sleep(50);
    box.sleeping.keep(idle);
    await expect.poll(() => box.sleeping.keeper.counts(), soon).toEqual({ awake: 2, asleep: 1 });
    // A slow guest may still be awake when the wake stops waiting for it: the caller gets `busy` and tries again.
    const health = () => box.gateway.call(box.instance, 'GET', '/health').catch(({ reason }) => reason);
    await expect.poll(health, soon).toContain('ok');
    expect(box.sleeping.asked[0]).toBe(idler.instance);
    expect(box.sleeping.keeper.counts().asleep).toBeGreaterThan(0);
  });

  test('called all at once, each answers, and none of them sleeps again meanwhile', async () => {
    const box = await startSandboxWithGateway({ idleSeconds: never });
    box.keep();
    await box.put();
    const others = await threeMore(box.options);
    for (const other of others) {
      box.sleeping.keep(other);
      expect(await box.sleeping.keeper.sleep(other.instance)).toEqual({ call: 'done' });
    }
    const before = box.sleeping.counts.freeze;
    const instances = [box.instance, ...others.map(({ instance }) => instance)];
    const answers = await Promise.all(instances.map((instance) => box.gateway.call(instance, 'GET', '/health')));
    for (const answer of answers) expect(answer).toContain('ok');
    expect(box.sleeping.counts.freeze).toBe(before);
    expect(box.sleeping.keeper.counts()).toEqual({ awake: 4, asleep: 0 });
  });

  test.runIf(isFull)('how long a wake takes, beside the engine’s own', async () => {
    const box = await startSandboxWithGateway({ idleSeconds: never });
    box.keep();
    const rounds = 20;
    const [ours, engines]: [number[], number[]] = [[], []];
    const container = { ...box.sandbox, id: box.sandbox.containerId };
    const url = `http://${box.sandbox.address}:${box.sandbox.port}/health`;
    for (let round = 0; round < rounds; round += 1) {
      await box.put();
      const startedAt = performance.now();
      await box.gateway.call(box.instance, 'GET', '/health');
      ours.push(performance.now() - startedAt);
      await box.sleeping.driver.pause(container);
      const barelyAt = performance.now();
      await box.sleeping.driver.unpause(container);
      await (await fetch(url, { headers: { connection: 'close' } })).arrayBuffer();
      engines.push(performance.now() - barelyAt);
    }
    const middle = (times: number[]): number => times.toSorted((a, b) => a - b)[rounds / 2] ?? 0;
    const [our, engine] = [middle(ours), middle(engines)];
    console.log(
      `${isolationClass.isolation}: wake to answer p50 ${our.toFixed(1)} ms, engine's unpause and one call ${engine.toFixed(1)} ms: ${(our / engine).toFixed(2)} ×`,
    );
    expect(our).toBeLessThan(5_000);
  });

  const threeMore = (options: SleepOptions) => Promise.all(Array.from({ length: 3 }, () => another(options)));

  async function another(options: SleepOptions): Promise<RunningSandbox> {
    const started = await startSandbox({ ...options, image }, isolationClass, { idleSeconds: never });
    onTestFinished(() => started[Symbol.asyncDispose]());
    return started.sandbox;
  }
});

/** The keeper as its own process. */
async function startProcess(options: SleepOptions, sandbox: RunningSandbox) {
  const program = fileURLToPath(new URL('./sleep/sleeping-runner-process.ts', import.meta.url));
  const child = fork(program, [JSON.stringify({ options, sandboxes: [sandbox] })], { execArgv: [] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  return { child };
}
