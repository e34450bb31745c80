// Sleep loses nothing, and every caller is admitted: real guests, frozen and thawed by the runner's keeper. The small
// size tests gVisor; tests/chaos/sandbox-sleep.test.ts tests runc.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { SandboxWish } from '@berth/contract';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { importBaseImage } from '../../scripts/engines/base-image.ts';
import { startTestDocker, type TestDocker } from '../../scripts/engines/test-docker.ts';
import type { RunningSandbox } from '../../services/runner/src/sleep/running-sandbox.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { isFull } from '../support/size.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { isolationsOf } from '../support/workloads.ts';
import { type SleepOptions, startGateway, startSandbox, startSleeping } from './runner-sleep/bed.ts';
import { startWitness } from './runner-sleep/witness.ts';

let docker: TestDocker;
let image = '';
beforeAll(async () => {
  docker = await startTestDocker();
  [image = ''] = await importBaseImage(docker.url);
}, 120_000);
afterAll(() => docker?.[Symbol.asyncDispose]());

/** Idle timeout long enough that no sandbox falls asleep by itself. */
const never = 3_600;
const soon = { timeout: 60_000, interval: 20 };
const wakes = isFull ? 50 : 15;
const killedRunners = isFull ? 8 : 3;

describe.each(isolationsOf('gvisor'))('on $isolation', (isolationClass) => {
  /** One sandbox under a keeper, and a gateway that calls it. */
  async function bedOf(wish: SandboxWish, more: Partial<SleepOptions> = {}) {
    const folder = await temporaryFolder();
    onTestFinished(() => folder[Symbol.asyncDispose]());
    const options = { dockerUrl: docker.url, stateFolder: folder.path, ...more };
    const started = await startSandbox({ ...options, image }, isolationClass, wish);
    onTestFinished(() => started[Symbol.asyncDispose]());
    const sleeping = await startSleeping(options);
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
    const bed = await bedOf({ idleSeconds: 0.3 });
    bed.keep();
    const witness = await startWitness(bed.gateway, bed.instance);
    expect(await witness.see()).toEqual({ count: 1, file: 'kept', pid: witness.pid });
    await bed.exec('echo written > /root/before');
    await expect.poll(bed.isFrozen, soon).toBe(true);
    await expect.poll(() => bed.sleeping.news.at(-1), soon).toMatchObject({ awake: false });
    expect(bed.sleeping.news.at(-1)?.usedMsAgo).toBeGreaterThanOrEqual(300);
    expect(await witness.see()).toEqual({ count: 2, file: 'kept', pid: witness.pid });
    expect(bed.sleeping.news.at(-1)).toMatchObject({ awake: true, usedMsAgo: 0 });
    await bed.put();
    expect(await bed.exec('cat /root/before')).toBe('written\n');
    expect(bed.sleeping.counts.thaw).toBe(2);
  });

  test('asleep it takes no CPU at all, whatever runs inside', async () => {
    const bed = await bedOf({ idleSeconds: never });
    bed.keep();
    await bed.gateway.call(bed.instance, 'POST', '/process', { command: 'while :; do :; done', name: 'busy' });
    const cpuMs = async (): Promise<number> =>
      ((await bed.sleeping.driver.stats(bed.sandbox.containerId))?.cpuNanoseconds ?? Number.NaN) / 1e6;
    const staysBusy = async (): Promise<void> => {
      const before = await cpuMs();
      await expect.poll(cpuMs, soon).toBeGreaterThan(before + 50);
    };
    await staysBusy();
    await bed.put();
    // The kernel may account the CPU time of the last moments before the freeze a little later.
    const cpuMsOfASecond = async (): Promise<number> => {
      const before = await cpuMs();
      await sleep(1_000);
      return (await cpuMs()) - before;
    };
    await expect.poll(cpuMsOfASecond, soon).toBe(0);
    expect(await bed.exec('echo here')).toBe('here\n');
    await staysBusy();
  });

  test('R-60: a connection that is opened during a freeze waits, and is answered', async () => {
    const bed = await bedOf({ idleSeconds: never });
    bed.keep();
    const witness = await startWitness(bed.gateway, bed.instance);
    const random = seededRandom(60);
    for (let round = 1; round <= 15; round += 1) {
      const asleep = bed.sleeping.keeper.sleep(bed.instance);
      await sleep(random() * (isolationClass.isolation === 'runc' ? 3 : 40));
      expect((await witness.see()).count).toBe(round);
      // The sandbox slept before that request, or after it, or the request came first and prevented the sleep.
      expect(['done', 'failed', 'unchanged']).toContain((await asleep).call);
    }
    expect(bed.sleeping.counts.freeze).toBeGreaterThan(0);
  });

  test('an open stream keeps it awake, and its end lets it sleep', async () => {
    const bed = await bedOf({ idleSeconds: 0.3 });
    bed.keep();
    await bed.gateway.call(bed.instance, 'POST', '/process', { command: 'sleep 3600', name: 'quiet' });
    const stream = await bed.gateway.open(bed.instance, 'GET', '/process/quiet/logs/stream');
    stream.on('error', () => {}).resume();
    await sleep(2_500);
    expect(bed.sleeping.counts.freeze).toBe(0);
    expect(await bed.sleeping.keeper.sleep(bed.instance)).toMatchObject({ call: 'failed', message: /connected/ });
    stream.destroy();
    await expect.poll(bed.isFrozen, soon).toBe(true);
  });

  test('a keepAlive process keeps it awake; who asks for sleep gets it all the same', async () => {
    const bed = await bedOf({ idleSeconds: 0.3 }, { leaseKeepMs: 50 });
    bed.keep();
    const wish = { command: 'sleep 3600', name: 'alive', keepAlive: true, timeout: 0 };
    await bed.gateway.call(bed.instance, 'POST', '/process', wish);
    await sleep(2_500);
    expect(bed.sleeping.counts.freeze).toBe(0);
    await bed.put();
    expect(await bed.isFrozen()).toBe(true);
    expect(await bed.sleeping.keeper.sleep(bed.instance)).toEqual({ call: 'unchanged' });
    expect(await bed.sleeping.keeper.wake(bed.instance)).toEqual({ call: 'done' });
    expect(await bed.sleeping.keeper.wake(bed.instance)).toEqual({ call: 'unchanged' });
    await bed.gateway.call(bed.instance, 'DELETE', '/process/alive');
    await expect.poll(bed.isFrozen, soon).toBe(true);
  });

  test(`${wakes} sleeps and wakes at random moments lose no request`, async () => {
    const bed = await bedOf({ idleSeconds: 0.02 }, { leaseKeepMs: 1 });
    bed.keep();
    const witness = await startWitness(bed.gateway, bed.instance);
    const seed = 15;
    const random = seededRandom(seed);
    let [asked, before] = [0, 0];
    for (let round = 0; round < 40 * wakes && bed.sleeping.counts.thaw < wakes; round += 1) {
      const together = 1 + Math.floor(random() * 3);
      const seen = await Promise.all(Array.from({ length: together }, () => witness.see()));
      asked += together;
      expect(Math.max(...seen.map(({ count }) => count)), `seed ${seed}`).toBe(before + together);
      before += together;
      await sleep(random() * 120);
    }
    const { freeze, thaw } = bed.sleeping.counts;
    console.log(`${isolationClass.isolation}: ${asked} requests, ${freeze} freezes, ${thaw} thaws`);
    expect(thaw).toBe(wakes);
    expect(freeze - thaw).toBeGreaterThanOrEqual(0);
    expect(freeze - thaw).toBeLessThanOrEqual(1);
    expect((await witness.see()).file).toBe('kept');
  });

  test('two hundred who come at once wake it once', async () => {
    const bed = await bedOf({ idleSeconds: never });
    bed.keep();
    const witness = await startWitness(bed.gateway, bed.instance);
    await bed.put();
    const gateways = Array.from({ length: 20 }, () => startGateway(bed.sleeping.socketPath));
    const opens = gateways.flatMap((gateway) =>
      Array.from({ length: 10 }, () => gateway.call(bed.instance, 'GET', '/', undefined, 9_000)),
    );
    expect((await Promise.all(opens)).every((said) => said.endsWith(` kept ${witness.pid}`))).toBe(true);
    expect(bed.sleeping.counts.thaw).toBe(1);
    expect((await witness.see()).count).toBe(201);
    await Promise.all(gateways.map((gateway) => gateway.close()));
  });

  test('the calls wake and sleep find a lease that nobody uses no reason to refuse', async () => {
    const bed = await bedOf({ idleSeconds: never }, { leaseKeepMs: 60_000 });
    bed.keep();
    await bed.gateway.call(bed.instance, 'GET', '/health');
    expect(bed.sleeping.leases.count).toBe(1);
    await bed.put();
    expect(bed.sleeping.leases.count).toBe(0);
    expect(await bed.sleeping.keeper.sleep('unknown')).toEqual({ call: 'unknown' });
    expect(await bed.sleeping.keeper.wake('unknown')).toEqual({ call: 'unknown' });
    expect(await bed.sleeping.keeper.open('unknown')).toEqual({ is: 'unknown' });
  });

  test('one that is deleted while it freezes is gone, and so is one that sleeps', async () => {
    for (const isAsleep of [false, true]) {
      const bed = await bedOf({ idleSeconds: never });
      bed.keep();
      const asleep = bed.sleeping.keeper.sleep(bed.instance);
      if (isAsleep) await asleep;
      await bed.sleeping.keeper.release(bed.instance);
      expect(await bed.isFrozen()).toBe(false);
      const startedAt = performance.now();
      await bed.sleeping.driver.remove(bed.sandbox.containerId);
      expect(performance.now() - startedAt).toBeLessThan(10_000);
      bed.sleeping.keeper.forget(bed.instance);
      expect(await bed.sleeping.keeper.open(bed.instance)).toEqual({ is: 'unknown' });
      await asleep;
    }
  });

  test('one that is released stays awake until it is kept again, with what is new about it', async () => {
    const bed = await bedOf({ idleSeconds: 0.2 });
    bed.keep();
    await expect.poll(bed.isFrozen, soon).toBe(true);
    await bed.sleeping.keeper.release(bed.instance);
    expect(await bed.exec('echo here')).toBe('here\n');
    await sleep(2_000);
    expect(await bed.isFrozen()).toBe(false);
    expect(await bed.sleeping.keeper.sleep(bed.instance)).toMatchObject({ call: 'failed', message: /changed/ });
    bed.sleeping.keep({ ...bed.sandbox, wish: { idleSeconds: never } });
    await sleep(1_500);
    expect(await bed.isFrozen()).toBe(false);
    bed.keep();
    await expect.poll(bed.isFrozen, soon).toBe(true);
  });

  test('a container that ended while it slept is no failure, and nothing is done to whoever has its number', async () => {
    const bed = await bedOf({ idleSeconds: never });
    bed.keep();
    await bed.put();
    await bed.sleeping.freezer.thaw(bed.sandbox);
    await bed.sleeping.driver.remove(bed.sandbox.containerId);
    await bed.sleeping.freezer.thaw(bed.sandbox);
    expect(await bed.isFrozen()).toBe(false);
    await expect(bed.sleeping.freezer.freeze(bed.sandbox)).rejects.toThrow();
    expect(await bed.sleeping.keeper.open(bed.instance)).toEqual({ is: 'open' });
    const stranger = { ...bed.sandbox, isolation: 'runc', pid: process.pid } as const;
    await expect(bed.sleeping.freezer.freeze(stranger)).rejects.toThrow('ended');
  });

  test('a guest that does not answer is put to sleep all the same, since nobody speaks to it', async () => {
    const bed = await bedOf({ idleSeconds: 0.1 });
    bed.sleeping.keep({ ...bed.sandbox, port: 1 });
    await expect.poll(bed.isFrozen, soon).toBe(true);
  });

  test('nobody has used it for too long: said asleep or awake, not while somebody is connected, and after a restart', async () => {
    const bed = await bedOf({ idleSeconds: 0.2, expiresIdleSeconds: 2 }, { leaseKeepMs: 50 });
    bed.keep();
    await bed.gateway.call(bed.instance, 'POST', '/process', { command: 'sleep 3600', name: 'quiet' });
    const stream = await bed.gateway.open(bed.instance, 'GET', '/process/quiet/logs/stream');
    stream.on('error', () => {}).resume();
    await sleep(3_000);
    expect(bed.sleeping.news.filter(({ isExpired }) => isExpired)).toEqual([]);
    const leftAt = performance.now();
    stream.destroy();
    await expect.poll(() => bed.sleeping.news.at(-1), soon).toMatchObject({ isExpired: true });
    expect(performance.now() - leftAt).toBeGreaterThan(1_900);
    expect(await bed.isFrozen()).toBe(true);
    await sleep(500);
    expect(bed.sleeping.news.filter(({ isExpired }) => isExpired)).toHaveLength(1);
    await bed.sleeping[Symbol.asyncDispose]();
    await using again = await startSleeping(bed.options);
    again.keep(bed.sandbox);
    await expect.poll(() => again.news.at(-1), soon).toMatchObject({ awake: false, isExpired: true });
    expect(again.counts).toMatchObject({ freeze: 0, thaw: 0 });
  });

  test('a runner that starts again leaves a sleeping one asleep, and wakes it for the next who comes', async () => {
    const bed = await bedOf({ idleSeconds: never });
    bed.keep();
    const witness = await startWitness(bed.gateway, bed.instance);
    await bed.put();
    await bed.gateway.close();
    await bed.sleeping[Symbol.asyncDispose]();
    await using again = await startSleeping(bed.options);
    again.keep(bed.sandbox);
    await expect.poll(() => again.news.at(-1), soon).toMatchObject({ awake: false });
    await sleep(500);
    expect(await bed.isFrozen()).toBe(true);
    expect(again.counts).toMatchObject({ freeze: 0, thaw: 0 });
    expect(await witness.see()).toMatchObject({ count: 1, file: 'kept', pid: witness.pid });
  });

  test('a runner that is killed while it freezes or wakes leaves nothing that the next one cannot use', async () => {
    const bed = await bedOf({ idleSeconds: never });
    bed.keep();
    const witness = await startWitness(bed.gateway, bed.instance);
    await bed.gateway.close();
    await bed.sleeping[Symbol.asyncDispose]();
    const random = seededRandom(6);
    for (let round = 1; round <= killedRunners; round += 1) {
      const { child } = await startProcess(bed.options, { ...bed.sandbox, wish: { idleSeconds: 0.03 } });
      await sleep(random() * 120);
      child.kill('SIGKILL');
      await once(child, 'exit');
      const { child: next } = await startProcess(bed.options, bed.sandbox);
      expect(await witness.see()).toEqual({ count: round, file: 'kept', pid: witness.pid });
      next.kill('SIGKILL');
      await once(next, 'exit');
    }
  });

  test('an engine that is killed and starts again while it sleeps changes nothing', async () => {
    const bed = await bedOf({ idleSeconds: never });
    bed.keep();
    const witness = await startWitness(bed.gateway, bed.instance);
    await bed.put();
    await docker.kill();
    await docker.start();
    expect(await bed.isFrozen()).toBe(true);
    expect(await witness.see()).toMatchObject({ count: 1, file: 'kept', pid: witness.pid });
    await bed.put();
    expect((await witness.see()).count).toBe(2);
  });

  test('with memory short the longest idle goes to sleep first; when that is not enough, it is busy for now', async () => {
    // The machine has free memory again as soon as a second sandbox sleeps.
    const freeMemoryMb = (): number => ((bed?.sleeping.keeper.counts().asleep ?? 0) < 2 ? 100 : 600);
    let bed: Awaited<ReturnType<typeof bedOf>> | undefined;
    bed = await bedOf({ idleSeconds: never }, { wakeReserveMb: 512, freeMemoryMb });
    bed.keep();
    await bed.put();
    expect(bed.sleeping.keeper.isPressed).toBe(true);
    await expect(bed.gateway.call(bed.instance, 'GET', '/health')).rejects.toMatchObject({
      reason: 'busy',
      retryAfterSeconds: expect.any(Number),
    });
    expect(await bed.sleeping.keeper.wake(bed.instance)).toMatchObject({ call: 'busy' });
    expect(await bed.isFrozen()).toBe(true);
    const [idle, idler] = await Promise.all([another(bed.options), another(bed.options)]);
    bed.sleeping.keep(idler);
    await sleep(50);
    bed.sleeping.keep(idle);
    await expect.poll(() => bed.sleeping.keeper.counts(), soon).toEqual({ awake: 2, asleep: 1 });
    // A slow guest may still be awake when the wake stops waiting for it: the caller gets `busy` and tries again.
    const health = () => bed.gateway.call(bed.instance, 'GET', '/health').catch(({ reason }) => reason);
    await expect.poll(health, soon).toContain('ok');
    expect(bed.sleeping.asked[0]).toBe(idler.instance);
    expect(bed.sleeping.keeper.counts().asleep).toBeGreaterThan(0);
  });

  test('called all at once, each answers, and none of them sleeps again meanwhile', async () => {
    const bed = await bedOf({ idleSeconds: never });
    bed.keep();
    await bed.put();
    const others = await threeMore(bed.options);
    for (const other of others) {
      bed.sleeping.keep(other);
      expect(await bed.sleeping.keeper.sleep(other.instance)).toEqual({ call: 'done' });
    }
    const before = bed.sleeping.counts.freeze;
    const instances = [bed.instance, ...others.map(({ instance }) => instance)];
    const answers = await Promise.all(instances.map((instance) => bed.gateway.call(instance, 'GET', '/health')));
    for (const answer of answers) expect(answer).toContain('ok');
    expect(bed.sleeping.counts.freeze).toBe(before);
    expect(bed.sleeping.keeper.counts()).toEqual({ awake: 4, asleep: 0 });
  });

  test.runIf(isFull)('how long a wake takes, beside the engine’s own', async () => {
    const bed = await bedOf({ idleSeconds: never });
    bed.keep();
    const rounds = 20;
    const [ours, engines]: [number[], number[]] = [[], []];
    const container = { ...bed.sandbox, id: bed.sandbox.containerId };
    const url = `http://${bed.sandbox.address}:${bed.sandbox.port}/health`;
    for (let round = 0; round < rounds; round += 1) {
      await bed.put();
      const startedAt = performance.now();
      await bed.gateway.call(bed.instance, 'GET', '/health');
      ours.push(performance.now() - startedAt);
      await bed.sleeping.driver.pause(container);
      const barelyAt = performance.now();
      await bed.sleeping.driver.unpause(container);
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
  const program = fileURLToPath(new URL('./runner-sleep/sleeping-process.ts', import.meta.url));
  const child = fork(program, [JSON.stringify({ options, sandboxes: [sandbox] })], { execArgv: [] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  return { child };
}
