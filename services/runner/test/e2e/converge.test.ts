// The runner makes a real engine match the desired instances. No api here: the test sends the desired instances
// directly.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callDocker } from '../../../../engines/docker-api.ts';
import { gvisor } from '../../../../engines/gvisor.ts';
import { networkTools } from '../../../../engines/network-tools.ts';
import { importTinyImage } from '../../../../engines/tiny-image.ts';
import { inspect, startContainer } from '../../../../tests/e2e/engines/container.ts';
import { importScriptImage } from '../../../../tests/harness/script-image.ts';
import { desiredInstance } from '../desired-instance.ts';
import { type Runner, type RunnerMachine, startRunnerMachine } from './converge/runner-machine.ts';

let machine: RunnerMachine;
let runner: Runner;
/** The pull of this image is retried for most of a minute: the instance is requested first and checked later. */
const missing = desiredInstance({
  image: '127.0.0.1:1/nothing:1',
  imageSource: { origin: 'outside', isListed: true },
});

const image = (name: string, script: string) => importScriptImage(machine.docker.url, `converge-${name}`, script);
/** An image whose command names a program that it does not contain. */
async function imageWithout(program: string): Promise<string> {
  const { Id } = await inspect(machine.docker.url, 'POST /containers/create', { Image: 'berth-tiny:latest' });
  const query = new URLSearchParams({ container: Id, repo: 'converge-lacking', changes: `CMD ["${program}"]` });
  await callDocker(machine.docker.url, `POST /commit?${query}`);
  await callDocker(machine.docker.url, `DELETE /containers/${Id}`);
  return 'converge-lacking:latest';
}
const containers = async (): Promise<{ Id: string; Names: string[]; State: string }[]> =>
  inspect(machine.docker.url, 'GET /containers/json?all=1');
const stateOf = async (id: string) =>
  (await containers()).find(({ Names }) => Names.includes(`/berth-${id}`))?.State ?? 'absent';

beforeAll(async () => {
  await Promise.all([networkTools.install(), gvisor.install()]);
  machine = await startRunnerMachine();
  await importTinyImage(machine.docker.url);
  runner = await machine.start();
  runner.all();
  runner.send({ type: 'set', instance: missing });
}, 900_000);

afterAll(async () => {
  await runner?.stop();
  await machine?.[Symbol.asyncDispose]();
});

async function remove(id: string): Promise<void> {
  const from = runner.reports.length;
  runner.send({ type: 'unset', id, isLeaving: false });
  await runner.report(id, ['gone'], from);
  expect(await stateOf(id)).toBe('absent');
}

test('an instance comes up, answers, and leaves nothing when it goes', async () => {
  const desired = desiredInstance({ env: { PORT: '8080' } });
  runner.send({ type: 'set', instance: desired });
  const ready = await runner.report(desired.id, ['ready', 'failed']);
  expect(ready).toMatchObject({ state: 'ready', starts: 1, address: expect.stringMatching(/^100\.96\./) });
  expect(Object.keys(ready.stages ?? {}).sort()).toEqual(['create', 'pull', 'ready', 'start']);
  await remove(desired.id);
});

test('an instance that never ran here is reported gone', async () => {
  const { id } = desiredInstance();
  await remove(id);
});

test('an instance that ends before it answers is started three times, and its last words are told', async () => {
  const desired = desiredInstance({ image: await image('crash', 'echo "no database" >&2; exit 7') });
  runner.send({ type: 'set', instance: desired });
  const failed = await runner.report(desired.id, ['failed', 'ready']);
  expect(failed).toMatchObject({ state: 'failed', code: 'crash_loop', starts: 3 });
  expect(failed.message).toBe(
    'It ended 3 times in a row, last with exit code 7. Its last output:\nno database\nno database\nno database',
  );
  await remove(desired.id);
  await expect.poll(() => runner.lines.filter(({ text }) => text === 'no database').length).toBe(3);
});

test('a wrong port is named', async () => {
  const script = 'busybox httpd -f -p 3000 -h /www';
  const desired = desiredInstance({ image: await image('port', script), startTimeoutSeconds: 6 });
  runner.send({ type: 'set', instance: desired });
  const failed = await runner.report(desired.id, ['failed', 'ready']);
  expect(failed.code).toBe('port_closed');
  expect(failed.message).toBe('Nothing listens on port 8080; it listens on 3000. Listen on $HOST:$PORT.');
  await expect.poll(() => stateOf(desired.id), { timeout: 15_000 }).toBe('exited');
  await remove(desired.id);
});

test('running out of memory is called that, with the limit', async () => {
  const script = 'a=$(busybox head -c 200000000 /dev/zero | busybox tr "\\000" x); echo "$a"; sleep 60';
  const desired = desiredInstance({ image: await image('memory', script) });
  runner.send({ type: 'set', instance: desired });
  const failed = await runner.report(desired.id, ['failed', 'ready']);
  expect(failed).toMatchObject({
    state: 'failed',
    code: 'out_of_memory',
    message: 'Out of memory: it needs more than its 64 MB. Raise spec.runtime.memory.',
  });
  await remove(desired.id);
});

test('a command that its image lacks fails with its own words', async () => {
  const desired = desiredInstance({ image: await imageWithout('no-such-program') });
  runner.send({ type: 'set', instance: desired });
  const failed = await runner.report(desired.id, ['failed', 'ready']);
  // The engine's init finds out inside the container, so this looks like any other start that ends at once.
  expect(failed.code).toBe('crash_loop');
  expect(failed.message).toMatch(/no-such-program failed: No such file/);
  await remove(desired.id);
});

test('an instance that ends after it answered is started again', async () => {
  const desired = desiredInstance();
  runner.send({ type: 'set', instance: desired });
  await runner.report(desired.id, ['ready']);
  const from = runner.reports.length;
  await callDocker(machine.docker.url, `POST /containers/berth-${desired.id}/kill`);
  expect(await runner.report(desired.id, ['starting', 'failed'], from)).toMatchObject({
    state: 'starting',
    message: 'It ended with exit code 137 and is started again.',
  });
  expect(await runner.report(desired.id, ['ready', 'failed'], from)).toMatchObject({ state: 'ready', starts: 2 });
  await remove(desired.id);
});

test('under gVisor an instance that ends is made anew, and its output goes on counting', async () => {
  const script = 'echo "I run"; exec busybox httpd -f -p 8080 -h /www';
  const desired = desiredInstance({ isolation: 'gvisor', memoryMb: 128, image: await image('gvisor', script) });
  runner.send({ type: 'set', instance: desired });
  expect(await runner.report(desired.id, ['ready', 'failed'])).toMatchObject({ state: 'ready' });
  const from = runner.reports.length;
  await callDocker(machine.docker.url, `POST /containers/berth-${desired.id}/kill`);
  expect(await runner.report(desired.id, ['ready', 'failed'], from)).toMatchObject({ state: 'ready', starts: 2 });
  const said = () => runner.lines.filter(({ text }) => text === 'I run').map(({ sequence }) => sequence);
  await expect.poll(said).toEqual([0, 1]);
  await remove(desired.id);
});

test('an image that is nowhere is unavailable', async () => {
  expect((await runner.report(missing.id, ['failed'])).code).toBe('image_unavailable');
  await remove(missing.id);
});

test('a restarted runner finds its instances again, removes unwanted ones, and touches nothing else', async () => {
  const [kept, stranger, broken] = [
    desiredInstance(),
    desiredInstance(),
    desiredInstance({ image: await image('broken', 'exit 1') }),
  ];
  for (const instance of [kept, stranger, broken]) runner.send({ type: 'set', instance });
  const before = await runner.report(kept.id, ['ready']);
  await runner.report(stranger.id, ['ready']);
  await runner.report(broken.id, ['failed']);
  const foreign = await startContainer(machine.docker.url, {
    image: 'berth-tiny:latest',
    runtime: 'runc',
    network: 'none',
    command: ['sleep', '1000'],
  });
  const { State: ran } = await inspect(machine.docker.url, `GET /containers/berth-${kept.id}/json`);
  await runner.kill();

  runner = await machine.start();
  // The runner touches nothing before it has received the full list of desired instances.
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect(runner.reports).toEqual([]);
  expect(await stateOf(stranger.id)).toBe('running');
  runner.all(kept, broken);
  expect(await runner.report(kept.id, ['ready', 'failed'])).toMatchObject({ state: 'ready', address: before.address });
  expect(await runner.report(broken.id, ['starting', 'ready', 'failed'])).toMatchObject({ state: 'failed' });
  await runner.report(stranger.id, ['gone']);
  expect(await stateOf(stranger.id)).toBe('absent');
  const { State: runs } = await inspect(machine.docker.url, `GET /containers/berth-${kept.id}/json`);
  expect(runs.Pid).toBe(ran.Pid);
  expect((await inspect(machine.docker.url, `GET /containers/${foreign}/json`)).State.Running).toBe(true);
  await callDocker(machine.docker.url, `DELETE /containers/${foreign}?force=1`);
  await remove(kept.id);
  await remove(broken.id);
});

test('a restart of the engine fails no instance, and an instance that ends during it is noticed afterwards', async () => {
  const desired = desiredInstance();
  runner.send({ type: 'set', instance: desired });
  await runner.report(desired.id, ['ready']);
  const { State } = await inspect(machine.docker.url, `GET /containers/berth-${desired.id}/json`);
  await machine.docker.kill();
  const late = desiredInstance();
  runner.send({ type: 'set', instance: late });
  const from = runner.reports.length;
  process.kill(State.Pid, 'SIGKILL');
  await machine.docker.start();
  expect(await runner.report(desired.id, ['ready', 'failed'], from)).toMatchObject({ state: 'ready' });
  expect(await runner.report(late.id, ['ready', 'failed'])).toMatchObject({ state: 'ready' });
  await remove(desired.id);
  await remove(late.id);
});

test('a runner that stops leaves instances running', async () => {
  const desired = desiredInstance();
  runner.send({ type: 'set', instance: desired });
  await runner.report(desired.id, ['ready']);
  await runner.stop();
  expect(await stateOf(desired.id)).toBe('running');
  runner = await machine.start();
  runner.all();
  await runner.report(desired.id, ['gone']);
  // Only slots without an instance are left.
  expect(
    (await containers()).filter(({ Names }) => Names.some((name) => name.startsWith('/berth-') && name.length === 43)),
  ).toEqual([]);
});
