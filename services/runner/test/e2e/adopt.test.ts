// Warm sandboxes are adopted by their owners and changed while they run. Real engine, real guests, no api: the test
// sends the desired instances directly.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { guestPort } from '@berth/contract/guest';
import { bytesPerMb, type SandboxInstance } from '@berth/contract/node';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { callDocker } from '../../../../engines/docker-api.ts';
import { inspect } from '../../../../tests/e2e/engines/container.ts';
import { isFull } from '../../../../tests/harness/size.ts';
import { isolationsOf } from '../../../../tests/harness/workloads.ts';
import { cgroupOf } from '../../src/machine/cgroup/find.ts';
import { claimed, type SandboxRunnerMachine, startSandboxRunnerMachine } from './adopt/sandbox-runner-machine.ts';
import type { Runner } from './converge/runner-machine.ts';

let machine: SandboxRunnerMachine;
let runner: Runner;

beforeAll(async () => {
  machine = await startSandboxRunnerMachine();
  runner = await machine.start();
  runner.all();
}, 900_000);

afterAll(async () => {
  await runner?.stop();
  await machine?.[Symbol.asyncDispose]();
});

/** Removes everything that a test made before the next one starts. */
afterEach(async () => {
  const ids = new Set(runner.reports.map(({ instance }) => instance));
  runner.all();
  await expect.poll(() => containers(), { timeout: 60_000 }).toEqual([]);
  for (const id of ids) await expect.poll(() => lastOf(id)?.state, { timeout: 60_000 }).toBe('gone');
});

const lastOf = (id: string) => runner.reports.findLast(({ instance }) => instance === id);

const containers = async (): Promise<string[]> => {
  const found: { Names: string[] }[] = await inspect(machine.docker.url, 'GET /containers/json?all=1');
  return found.flatMap(({ Names }) => Names).filter((name) => /^\/berth-[0-9a-f-]{36}$/.test(name));
};

/** Number of ready slots, as `converge-process.ts` sets it. */
const readySlots = 2;
const slots = (): Promise<unknown[]> =>
  inspect(machine.docker.url, `GET /containers/json?all=1&filters=${encodeURIComponent('{"label":["berth.slot"]}')}`);

const containerOf = (id: string) => inspect(machine.docker.url, `GET /containers/berth-${id}/json`);

async function bringUp(...instances: SandboxInstance[]): Promise<string[]> {
  for (const instance of instances) runner.send({ type: 'set', instance });
  const up = await Promise.all(instances.map(({ id }) => runner.report(id, ['ready', 'failed'])));
  expect(up.filter(({ state }) => state === 'failed')).toEqual([]);
  return up.map(({ address }) => address ?? '');
}

const servicePort = 3000;
/** The guest's port is declared too, to prove that it stays closed. */
const vpc: SandboxInstance['vpc'] = {
  name: 'blue',
  ports: [servicePort, guestPort].map((port) => ({ protocol: 'tcp', port })),
};
const serve = (address: string) => machine.runIn(address, `busybox httpd -p ${servicePort} -h /tmp && echo serving`);
const reaches = async (from: string, to: string, port = servicePort): Promise<boolean> =>
  (await machine.runIn(from, `busybox nc -w 2 ${to} ${port} </dev/null && echo reached || echo not`)).includes(
    'reached',
  );

async function memoryLimitOf(id: string): Promise<number> {
  const group = await cgroupOf((await containerOf(id)).State.Pid, 'memory');
  const file = group?.version === 2 ? 'memory.max' : 'memory.limit_in_bytes';
  return Number(await readFile(`${group?.folder}/${file}`, 'utf8')) / bytesPerMb;
}

async function isFrozen({ id, isolation }: SandboxInstance): Promise<boolean> {
  const { State } = await containerOf(id);
  if (isolation === 'gvisor') return State.Paused || /\) T /.test(await readFile(`/proc/${State.Pid}/stat`, 'utf8'));
  const group = await cgroupOf(State.Pid, 'freezer');
  const text = await readFile(`${group?.folder}/${group?.version === 2 ? 'cgroup.events' : 'freezer.state'}`, 'utf8');
  return /FROZEN|frozen 1/.test(text);
}

const burstSize = isFull ? 20 : 4;
const singles = isFull ? 5 : 1;
const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

describe.each(isolationsOf('gvisor'))('under $isolation', ({ isolation }) => {
  test('a warm sandbox has no network; after adoption it has its workspace’s network, variables and limits', async () => {
    const [one, two, three] = [machine.warm(isolation), machine.warm(isolation), machine.warm(isolation)];
    const [first = '', second = '', third = ''] = await bringUp(one, two, three);
    expect(lastOf(one.id)).toMatchObject({ state: 'ready', generation: 1 });
    // Under gVisor an awake sandbox costs CPU, so a warm sandbox waits frozen.
    expect(await isFrozen(one)).toBe(isolation === 'gvisor');
    for (const { id } of [one, two]) process.kill((await containerOf(id)).State.Pid, 'SIGCONT');
    await Promise.all([first, second].map(serve));
    expect(await reaches(first, second)).toBe(false);

    const mine = claimed(one, { memoryMb: 512, cpus: 2, env: { GREETING: 'hello', PATH: '/bin' }, vpc });
    const beside = claimed(two, { workspaceId: mine.workspaceId });
    const others = claimed(three, { vpc });
    for (const desired of [mine, beside, others]) expect((await runner.adopt(desired)).said).toEqual({ call: 'done' });
    expect(lastOf(mine.id)).toMatchObject({ state: 'ready', generation: 2, address: first });
    expect(await machine.runIn(first, 'echo $GREETING')).toContain('hello');
    expect(await memoryLimitOf(mine.id)).toBe(512);
    expect(await memoryLimitOf(beside.id)).toBe(256);
    const ways = [
      [first, second],
      [second, first],
      [third, first],
    ] as const;
    const reached = (port: number) => Promise.all(ways.map(([from, to]) => reaches(from, to, port)));
    expect(await reached(servicePort)).toEqual([false, false, false]);

    // The second sandbox joins its neighbour's VPC while it runs.
    expect((await runner.adopt({ ...beside, generation: 3, vpc })).said).toEqual({ call: 'done' });
    expect(await reached(servicePort)).toEqual([true, true, false]);
    expect(await reached(guestPort)).toEqual([false, false, false]);
  });

  test('after another epoch a sandbox that is not named stays with its files, frozen, until its removal is ordered', async () => {
    const warm = machine.warm(isolation);
    const [address = ''] = await bringUp(warm);
    const mine = claimed(warm);
    await runner.adopt(mine);
    await machine.runIn(address, 'echo state > /kept');
    const welcome = (epoch: string) => runner.send({ type: 'welcome', session: 1, pulseSeconds: 5, epoch });
    const orphans = async (): Promise<unknown> =>
      JSON.parse(await readFile(join(machine.stateFolder, 'epoch.json'), 'utf8')).orphans;
    welcome(randomUUID());
    const restored = randomUUID();
    welcome(restored);
    runner.all();
    const { id, workspaceId } = mine;
    await expect.poll(orphans, { timeout: 60_000 }).toEqual([{ instance: id, workspaceId, isSandbox: true }]);
    await expect.poll(() => isFrozen(mine), { timeout: 60_000 }).toBe(true);
    expect(await runner.open(id)).toEqual({ is: 'unknown' });

    // The next process of the runner keeps it too, and brings up what the deployment wants.
    await runner.kill();
    runner = await machine.start();
    welcome(restored);
    runner.all();
    const other = machine.warm(isolation);
    await bringUp(other);
    expect(await isFrozen(mine)).toBe(true);

    runner.send({ type: 'discard', orphans: [id] });
    expect(await runner.report(id, ['gone'])).toMatchObject({ state: 'gone' });
    await expect.poll(orphans).toEqual([]);
  });

  test('changed variables reach new processes, and nothing that runs is lost', async () => {
    const warm = machine.warm(isolation);
    const [address = ''] = await bringUp(warm);
    const first = claimed(warm, { env: { KEPT: '1', CHANGED: 'a', REMOVED: 'x' } });
    await runner.adopt(first);
    await machine.runIn(address, 'echo state > /kept; (while true; do sleep 1; done) & echo $!');
    const { State } = await containerOf(warm.id);
    runner.send({ type: 'set', instance: { ...first, generation: 3, env: { KEPT: '1', CHANGED: 'b' } } });
    await expect.poll(() => lastOf(warm.id)?.generation).toBe(3);
    expect(await machine.runIn(address, 'echo "$KEPT $CHANGED [$REMOVED]"; cat /kept')).toContain('1 b []\nstate');
    expect((await containerOf(warm.id)).State.Pid).toBe(State.Pid);
  });

  test('adopted again it is unchanged, and an older wish after a newer one changes nothing', async () => {
    const warm = machine.warm(isolation);
    const [address = ''] = await bringUp(warm);
    const mine = claimed(warm, { generation: 5, env: { WHO: 'newest' } });
    expect((await runner.adopt(mine)).said).toEqual({ call: 'done' });
    expect((await runner.adopt(mine)).said).toEqual({ call: 'unchanged' });
    const older = { ...mine, generation: 4, workspaceId: randomUUID(), env: { WHO: 'older' } };
    expect((await runner.adopt(older)).said).toEqual({ call: 'unchanged' });
    runner.send({ type: 'set', instance: older });
    runner.all(warm);
    await sleep(300);
    expect(await machine.runIn(address, 'echo $WHO')).toContain('newest');
    expect((await runner.adopt(claimed(machine.warm(isolation)))).said).toEqual({ call: 'unknown' });
  });

  test('a request that comes before the adoption waits, and is answered', async () => {
    const warm = machine.warm(isolation);
    const [address = ''] = await bringUp(warm);
    const opening = Array.from({ length: 5 }, () => runner.open(warm.id));
    await sleep(200);
    await runner.adopt(claimed(warm));
    for (const opened of await Promise.all(opening))
      expect(opened).toEqual({ is: 'open', endpoint: { address, port: guestPort }, keepMs: 1_000 });
  });

  test('a runner killed at any moment of an adoption finishes it, and its network is its owner’s alone', async () => {
    const [one, two, waiting] = [machine.warm(isolation), machine.warm(isolation), machine.warm(isolation)];
    const [first = '', second = '', third = ''] = await bringUp(one, two, waiting);
    const mine = claimed(one, { vpc });
    const beside = claimed(two, { workspaceId: mine.workspaceId, vpc });
    await runner.adopt(beside);
    for (const { id } of [one, waiting]) process.kill((await containerOf(id)).State.Pid, 'SIGCONT');
    await Promise.all([first, second, third].map(serve));
    for (const afterMs of isFull ? [0, 3, 8, 40] : [0, 8]) {
      const next = { ...mine, generation: mine.generation + afterMs, env: { ROUND: String(afterMs) } };
      void runner.adopt(next);
      await sleep(afterMs);
      await runner.kill();
      runner = await machine.start();
      // The api has sent nothing yet: the restarted runner knows only the state on this machine.
      const [own, foreign] = await Promise.all([reaches(second, first), reaches(second, third)]);
      if (afterMs > 0) expect(own).toBe(true);
      expect(foreign).toBe(false);
      runner.all(next, beside, waiting);
      await expect.poll(() => lastOf(mine.id), { timeout: 30_000 }).toMatchObject({ generation: next.generation });
      expect(await machine.runIn(first, 'echo $ROUND')).toContain(String(afterMs));
      expect(await runner.open(mine.id)).toMatchObject({ is: 'open' });
    }
    await expect.poll(() => lastOf(waiting.id)).toMatchObject({ state: 'ready', generation: 1 });
    expect(await Promise.all([reaches(first, second), reaches(first, third)])).toEqual([true, false]);
  });

  test('a warm sandbox that dies is created again for the workspace that claims it: it was empty', async () => {
    const warm = machine.warm(isolation);
    await bringUp(warm);
    process.kill((await containerOf(warm.id)).State.Pid, 'SIGKILL');
    const { said } = await runner.adopt(claimed(warm));
    expect(said).toEqual({ call: 'done' });
    expect(await machine.runIn(lastOf(warm.id)?.address ?? '', 'echo $GREETING')).toContain('hello');
  });

  test(`${burstSize} adopted at once are all adopted`, async () => {
    const warm = Array.from({ length: burstSize + singles }, () => machine.warm(isolation));
    const startedAt = performance.now();
    await bringUp(...warm);
    const refillSeconds = (performance.now() - startedAt) / 1_000;
    const single: number[] = [];
    for (const each of warm.slice(0, singles)) single.push((await runner.adopt(claimed(each))).ms);
    const burst = await Promise.all(warm.slice(singles).map((each) => runner.adopt(claimed(each))));
    expect(burst.map(({ said }) => said.call)).toEqual(Array(burstSize).fill('done'));
    const cold = claimed(machine.warm(isolation), { generation: 1 });
    const coldAt = performance.now();
    await bringUp(cold);
    const coldMs = performance.now() - coldAt;
    console.log(
      `${isolation}: adopted one by one p50 ${median(single).toFixed(1)} ms, most ${Math.max(...single).toFixed(1)} ms; ` +
        `${burstSize} at once, the last after ${Math.max(...burst.map(({ ms }) => ms)).toFixed(1)} ms; made with the engine ` +
        `${coldMs.toFixed(0)} ms; refill ${(warm.length / refillSeconds).toFixed(2)} a second`,
    );
  });

  test('a sleeping sandbox stays asleep under a restarted runner, and wakes for changes that it must receive', async () => {
    const warm = machine.warm(isolation);
    const [address = ''] = await bringUp(warm);
    const mine = claimed(warm);
    await runner.adopt(mine);
    await machine.runIn(
      address,
      '(while true; do date +%s%N > /beat; sleep 0.1; done) > /dev/null 2>&1 & echo started',
    );
    expect(await runner.sleep(mine.id)).toEqual({ call: 'done' });
    await runner.kill();
    runner = await machine.start();
    runner.all(mine);
    await expect.poll(() => lastOf(mine.id), { timeout: 30_000 }).toMatchObject({ state: 'ready', generation: 2 });
    expect(await isFrozen(mine)).toBe(true);

    await runner.kill();
    runner = await machine.start();
    const changed = { ...mine, generation: 3, env: { GREETING: 'good evening' } };
    runner.all(changed);
    await expect.poll(() => lastOf(mine.id), { timeout: 30_000 }).toMatchObject({ state: 'ready', generation: 3 });
    expect(
      await machine.runIn(address, 'echo $GREETING; a=$(cat /beat); sleep 1; [ "$a" != "$(cat /beat)" ] && echo beats'),
    ).toBe('good evening\nbeats\n');
    expect(await runner.sleep(mine.id)).toEqual({ call: 'done' });
    runner.send({ type: 'set', instance: { ...changed, generation: 4, sandbox: { idleSeconds: 900 } } });
    await expect.poll(() => lastOf(mine.id)?.generation).toBe(4);
    // The guest does not need the changed idle timeout, so the sandbox is not woken for it.
    expect(await isFrozen(mine)).toBe(true);
    expect(await runner.open(mine.id)).toMatchObject({ is: 'open' });
    expect(await isFrozen(mine)).toBe(false);
  });

  test('asleep, it goes without a wait, also when no runner knew it', async () => {
    const [one, two] = [machine.warm(isolation), machine.warm(isolation)];
    await bringUp(one, two);
    for (const each of [one, two]) {
      await runner.adopt(claimed(each));
      expect(await runner.sleep(each.id)).toEqual({ call: 'done' });
    }
    const startedAt = performance.now();
    runner.send({ type: 'unset', id: one.id, isLeaving: false });
    await runner.report(one.id, ['gone']);
    await runner.kill();
    runner = await machine.start();
    runner.all();
    await runner.report(two.id, ['gone']);
    // The engine's own stop would wait ten seconds for each sandbox.
    console.log(
      `${isolation}: two that slept went, with a restart in between, in ${Math.round(performance.now() - startedAt)} ms`,
    );
  });

  test('variables that are read when a guest starts cost a new container, and hold', async () => {
    const warm = machine.warm(isolation);
    await bringUp(warm);
    const before = (await containerOf(warm.id)).Id;
    const env = { SERVICE_SANDBOX_USER: '1000', SERVICE_SANDBOX_USER_ENABLED: 'true' };
    expect((await runner.adopt(claimed(warm, { env }))).said).toEqual({ call: 'done' });
    expect((await containerOf(warm.id)).Id).not.toBe(before);
    expect(await machine.runIn(lastOf(warm.id)?.address ?? '', 'busybox id -u')).toContain('1000');
  });

  test('a sandbox whose container was removed by hand has failed, and no empty one replaces it', async () => {
    const warm = machine.warm(isolation);
    await bringUp(warm);
    await runner.adopt(claimed(warm));
    await callDocker(machine.docker.url, `DELETE /containers/berth-${warm.id}?force=1`);
    const failed = await runner.report(warm.id, ['failed']);
    // The message depends on whether the runner saw the container end before it was removed.
    expect(failed.message).toMatch(
      /(and its files with it|its files are lost with it).* Reboot it, which starts it empty/,
    );
    await sleep(1_000);
    expect(await containers()).toEqual([]);
  });
});

test('on runc a sandbox that dies comes back with its files and variables, and reports that its processes are gone', async () => {
  const warm = machine.warm('runc');
  const [address = ''] = await bringUp(warm);
  await runner.adopt(claimed(warm, { memoryMb: 512 }));
  await machine.runIn(address, 'echo kept > /file');
  const from = runner.reports.length;
  process.kill((await containerOf(warm.id)).State.Pid, 'SIGKILL');
  const said = await runner.report(warm.id, ['starting', 'failed'], from);
  expect(said.message).toBe(
    'It ended with exit code 137 and is started again. Its files are kept; processes that ran in it are not.',
  );
  expect(await runner.open(warm.id)).toMatchObject({ is: 'open' });
  expect(await runner.report(warm.id, ['ready', 'failed'], from)).toMatchObject({ state: 'ready', generation: 2 });
  expect(await machine.runIn(address, 'cat /file; echo $GREETING')).toContain('kept\nhello');
  expect(await memoryLimitOf(warm.id)).toBe(512);
});

test('under gVisor a sandbox that dies has failed, since its files are lost with it', async () => {
  const warm = machine.warm('gvisor');
  await bringUp(warm);
  await runner.adopt(claimed(warm));
  const from = runner.reports.length;
  process.kill((await containerOf(warm.id)).State.Pid, 'SIGKILL');
  const failed = await runner.report(warm.id, ['starting', 'failed'], from);
  expect(failed).toMatchObject({ state: 'failed', code: 'crash_loop' });
  expect(failed.message).toMatch(
    /its files are lost with it: nothing can be started in its container again. Reboot it/,
  );
  expect(await runner.open(warm.id)).toEqual({ is: 'unknown' });
});

test('after a reboot of the machine a sandbox on runc has its files and reports its losses, a sandbox on gVisor has failed, and no slot is left', async () => {
  const [kept, lost, waiting] = [machine.warm('runc'), machine.warm('gvisor'), machine.warm('runc')];
  const [address = ''] = await bringUp(kept, lost, waiting);
  const mine = claimed(kept, { memoryMb: 512 });
  const others = claimed(lost);
  for (const desired of [mine, others]) expect((await runner.adopt(desired)).said).toEqual({ call: 'done' });
  await machine.runIn(address, 'echo kept > /file');
  expect(await runner.sleep(mine.id)).toEqual({ call: 'done' });
  await runner.kill();
  await machine.reboot();
  runner = await machine.start();
  runner.all(mine, others, waiting);

  const said = await runner.report(mine.id, ['starting', 'failed']);
  expect(said.message).toMatch(/and is started again. Its files are kept; processes that ran in it are not.$/);
  const back = await runner.report(mine.id, ['ready', 'failed']);
  expect(back).toMatchObject({ state: 'ready', generation: 2 });
  expect(await machine.runIn(back.address ?? '', 'cat /file; echo $GREETING')).toContain('kept\nhello');
  expect(await memoryLimitOf(mine.id)).toBe(512);
  expect((await runner.report(others.id, ['ready', 'failed'])).message).toMatch(/its files are lost with it/);
  const anew = await runner.report(waiting.id, ['ready', 'failed']);
  expect(anew.state).toBe('ready');
  expect(await reaches(back.address ?? '', anew.address ?? '')).toBe(false);

  runner.all();
  for (const { id } of [mine, others, waiting]) await runner.report(id, ['gone']);
  await expect.poll(async () => (await slots()).length, { timeout: 60_000 }).toBe(readySlots);
});

test('a cold start with a waiting client overtakes cold starts of the pool', async () => {
  const waiting = Array.from({ length: isFull ? 10 : 6 }, () => machine.warm('runc'));
  const cold = claimed(machine.warm('runc'), { generation: 1 });
  for (const instance of [...waiting, cold]) runner.send({ type: 'set', instance });
  await runner.report(cold.id, ['ready']);
  const readyBefore = waiting.filter(({ id }) => lastOf(id)?.state === 'ready').length;
  console.log(`ready before the cold one: ${readyBefore} of ${waiting.length}`);
  expect(readyBefore).toBeLessThanOrEqual(2);
  await Promise.all(waiting.map(({ id }) => runner.report(id, ['ready'])));
});

test('a machine without a guest says so when it is asked for a sandbox', async () => {
  await runner.stop();
  runner = await machine.start({ guestFolder: undefined });
  const desired = claimed(machine.warm('runc'));
  runner.all(desired);
  const failed = await runner.report(desired.id, ['failed', 'ready']);
  expect(failed.message).toMatch(/This machine offers no sandboxes: its operator has to set runner.guestFolder/);
});
