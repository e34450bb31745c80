// Sleep loses nothing: a sandbox that is deleted, changed or interrupted while it falls asleep, sleeps or wakes ends
// in the right state. The small size tests runc; services/runner/test/e2e/sleep.test.ts tests gVisor.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SandboxMachine, type Wish } from '../harness/sandbox-machine.ts';
import { seededRandom } from '../harness/seeded-random.ts';
import { isFull, seed } from '../harness/size.ts';
import { isolationsOf } from '../harness/workloads.ts';

/** A process with a counter in memory, an open file that it appends to, a listener, and a line for each request. */
const program = `
  const fs = require('node:fs');
  const file = fs.openSync('/tmp/bumps', 'a');
  let count = 0;
  require('node:http').createServer((request, response) => {
    count += 1;
    fs.writeSync(file, count + '\\n');
    console.log('bump ' + count);
    response.end(JSON.stringify({ count, pid: process.pid }));
  }).listen(3000, '0.0.0.0', () => console.log('listening'));
`;

interface Counter extends Wish {
  readonly process: string;
  bumps: number;
  readonly hasStream: boolean;
  /** Lines received from its open stream. */
  readonly heard: string[];
}

async function startCounter(sandboxes: SandboxMachine, name: string, withStream: boolean): Promise<Counter> {
  const wish = { name, workspace: 'main', ports: [3000] };
  await sandboxes.create(wish);
  await sandboxes.write(wish, '/tmp/program.js', program);
  const process = await sandboxes.startProcess(wish, {
    command: 'node /tmp/program.js',
    name: 'counter',
    waitForPorts: [3000],
  });
  const counter: Counter = { ...wish, process, bumps: 0, hasStream: withStream, heard: [] };
  if (withStream) await sandboxes.follow(wish, `/process/${process}/logs/stream`, (line) => counter.heard.push(line));
  return counter;
}

async function bump(sandboxes: SandboxMachine, counter: Counter): Promise<void> {
  const { status, text } = await sandboxes.call(counter, 'GET', '/port/3000/');
  expect(status, `${counter.name}: ${text}`).toBe(200);
  counter.bumps += 1;
}

describe.each(isolationsOf('runc'))('under $isolation', ({ isolation }) => {
  const [count, cycles] = isFull ? [20, 1_000] : [4, 24];
  const maxRounds = 4;
  let sandboxes: SandboxMachine;
  beforeAll(async () => {
    const settings = {
      // No sandbox falls asleep by itself: every wake follows a sleep that the test asked for.
      BERTH_PLACEMENT_SANDBOXES_IDLE_SECONDS: '3600',
      // The full size keeps the default of operators, 30 seconds.
      ...(isFull ? {} : { BERTH_API_NODE_LOST_AFTER_SECONDS: '15' }),
    };
    sandboxes = await SandboxMachine.start({ name: `sleep-${isolation}`, isolation, pool: count, settings });
  }, 600_000);
  afterAll(() => sandboxes?.[Symbol.asyncDispose]());

  test(`${cycles} random sleeps and wakes over ${count} sandboxes lose no request and no state`, {
    timeout: 1_800_000,
  }, async () => {
    console.log(`seed ${seed}`);
    const counters = await Promise.all(
      Array.from({ length: count }, (_, at) => startCounter(sandboxes, `counter-${at}`, at % 4 === 0)),
    );
    let asked = 0;
    const cycleOne = async (counter: Counter, random: () => number): Promise<void> => {
      // The requests arrive during the freeze, right after it, or later.
      // An open connection keeps the sandbox awake, even if it is asked to sleep.
      const asleep = counter.hasStream
        ? sandboxes.mayNotSleep(counter)
        : sandboxes.sleep(counter).then((times) => {
            asked += times;
          });
      if (random() < 0.5) await asleep;
      await sleep(random() * 30);
      const bumps = 1 + Math.floor(random() * 3);
      await Promise.all([asleep, ...Array.from({ length: bumps }, () => bump(sandboxes, counter))]);
    };
    // A sandbox that is used at that moment does not sleep, so wakes are counted.
    let wakes = 0;
    for (let round = 0; round < maxRounds && wakes < cycles; round += 1) {
      // All sandboxes run at the same time, each in its own random order.
      await Promise.all(
        counters.map(async (counter, at) => {
          const random = seededRandom(seed + round * count + at);
          for (let cycle = 0; cycle < cycles / count; cycle += 1) await cycleOne(counter, random);
        }),
      );
      wakes = await sandboxes.wakes();
    }
    for (const counter of counters) {
      await bump(sandboxes, counter);
      const { text } = await sandboxes.call(counter, 'GET', '/port/3000/');
      expect(JSON.parse(text)).toEqual({ count: counter.bumps + 1, pid: expect.any(Number) });
      const lines = (await sandboxes.exec(counter, 'cat /tmp/bumps')).trim().split('\n');
      expect(lines).toEqual(Array.from({ length: counter.bumps + 1 }, (_, at) => String(at + 1)));
      if (!counter.hasStream) continue;
      await expect.poll(() => counter.heard.filter((line) => line.includes('bump')).length).toBe(counter.bumps + 1);
    }
    await Promise.all(counters.map((counter) => sandboxes.remove(counter)));
    wakes = await sandboxes.wakes();
    console.log(`${isolation}: asked to sleep ${asked} times, woken ${wakes} times`);
    expect(wakes).toBeGreaterThanOrEqual(cycles);
    expect(wakes).toBeLessThanOrEqual(asked);
  });

  test('deleted while it freezes, it is gone, and its name is free', async () => {
    for (let round = 0; round < (isFull ? 5 : 3); round += 1) {
      const wish = { name: 'going', workspace: 'main' };
      await sandboxes.create(wish);
      const asleep = sandboxes.sleep(wish).catch(() => {});
      await sleep(round * 3);
      await sandboxes.remove(wish);
      await asleep;
      await expect.poll(async () => (await sandboxes.call(wish, 'GET', '/health')).status).toBe(404);
    }
    await expect.poll(() => sandboxes.containersOf({ name: 'going', workspace: 'main' }), { timeout: 60_000 }).toBe(0);
  });

  test('changed while it sleeps, it has the new environment and all it had before', async () => {
    const counter = await startCounter(sandboxes, 'changing', false);
    await bump(sandboxes, counter);
    await sandboxes.sleep(counter);
    await sandboxes.update(counter, { envs: [{ name: 'COLOUR', value: 'green' }] });
    expect(await sandboxes.exec(counter, 'echo $COLOUR')).toBe('green\n');
    await bump(sandboxes, counter);
    expect(await sandboxes.exec(counter, 'wc -l < /tmp/bumps')).toBe('2\n');
    await sandboxes.remove(counter);
  });

  test('expired while it sleeps, it is terminated', async () => {
    // The lifetime is long enough for the sandbox to be asleep before it ends.
    const wish = { name: 'short', workspace: 'main', ttl: '8s' };
    await sandboxes.create(wish);
    await sandboxes.sleep(wish);
    await expect.poll(async () => (await sandboxes.read(wish)).status, { timeout: 60_000 }).toBe('TERMINATED');
    expect((await sandboxes.call(wish, 'GET', '/health')).status).toBe(404);
    await expect.poll(() => sandboxes.containersOf(wish), { timeout: 60_000 }).toBe(0);
  });

  test('a sandbox whose runner is killed during its freeze is the same sandbox afterwards', async () => {
    const counter = await startCounter(sandboxes, 'survivor', false);
    for (const pauseMs of isFull ? [0, 2, 5, 10, 20, 50] : [0, 10]) {
      const asleep = sandboxes.sleep(counter).catch(() => {});
      await sleep(pauseMs);
      await sandboxes.machine.runner.kill();
      await sandboxes.machine.runner.start();
      await asleep;
      await bump(sandboxes, counter);
    }
    expect(await sandboxes.exec(counter, 'wc -l < /tmp/bumps')).toBe(`${counter.bumps}\n`);
    await sandboxes.remove(counter);
  });

  test('Docker killed and started again while it sleeps, it wakes as it was', async () => {
    const counter = await startCounter(sandboxes, 'dormant', false);
    await bump(sandboxes, counter);
    await sandboxes.sleep(counter);
    sandboxes.machine.killDocker();
    await sandboxes.machine.startDocker();
    await bump(sandboxes, counter);
    expect(await sandboxes.exec(counter, 'wc -l < /tmp/bumps')).toBe('2\n');
    await sandboxes.remove(counter);
  });

  test('a sandbox whose runner is away is unreachable until the runner returns, and is never replaced', async () => {
    const counter = await startCounter(sandboxes, 'stranded', false);
    await bump(sandboxes, counter);
    await sandboxes.sleep(counter);
    await sandboxes.machine.runner.kill();
    const runner = () => sandboxes.fleet.database.selectFrom('runners').select('status').executeTakeFirstOrThrow();
    await expect.poll(runner, { timeout: 120_000, interval: 200 }).toEqual({ status: 'lost' });
    expect((await sandboxes.read(counter)).status).toBe('DEPLOYED');
    await sandboxes.machine.runner.start();
    await bump(sandboxes, counter);
    expect(await sandboxes.exec(counter, 'wc -l < /tmp/bumps')).toBe('2\n');
    await sandboxes.remove(counter);
  });
});
