// Reasons that keep a sandbox awake, as reported to the runner, on the real helper.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type GuestProcess, startGuestProcess } from '../../../tests/harness/guest-process.ts';
import { createRunnerSigner } from '../../../tests/harness/runner-signature.ts';
import { connectTerminal } from '../../../tests/harness/terminal-client.ts';

const signer = createRunnerSigner('instance-1');

let guest: GuestProcess;
beforeAll(async () => {
  guest = await startGuestProcess({ variables: { ...signer.variables } });
});
afterAll(() => guest[Symbol.asyncDispose]());

const quiesce = async () => {
  const answer = await signer.send(guest.url, { method: 'POST', path: '/control/v1/quiesce' });
  return { status: answer.status, ...((await answer.json()) as object) };
};
const start = (wish: object) => fetch(`${guest.url}/process`, { method: 'POST', body: JSON.stringify(wish) });

it('an ordinary process does not hold, a keepAlive one does until it ends', async () => {
  await start({ command: 'sleep 600', name: 'ordinary' });
  await expect.poll(quiesce).toMatchObject({ status: 200, ready: true });
  await start({ command: 'sleep 600', name: 'holding', keepAlive: true, timeout: 0 });
  await expect.poll(quiesce).toMatchObject({
    status: 409,
    keepAliveHolds: 1,
    error: expect.stringContaining('1 keepAlive process runs'),
  });
  await fetch(`${guest.url}/process/holding/kill`, { method: 'DELETE' });
  await expect.poll(quiesce).toMatchObject({ status: 200, ready: true });
});

it('a warm-up runs a command, does not keep the sandbox awake and leaves no trace', async () => {
  const listed = async () => (await (await fetch(`${guest.url}/process`)).json()) as unknown[];
  const before = await listed();
  const answer = await signer.send(guest.url, { method: 'POST', path: '/control/v1/rehearse' });
  expect([answer.status, await answer.json()]).toEqual([200, { message: 'A command has run.' }]);
  expect(await listed()).toEqual(before);
  await expect.poll(quiesce).toMatchObject({ status: 200, ready: true });
});

it('R-19 a hold outlives the guest', async () => {
  await start({ command: 'sleep 600', name: 'longer', keepAlive: true, timeout: 0 });
  process.kill(await guest.guestPid(), 'SIGKILL');
  await expect.poll(quiesce).toMatchObject({ status: 409, keepAliveHolds: 1 });
  await fetch(`${guest.url}/process/longer/kill`, { method: 'DELETE' });
  await expect.poll(quiesce).toMatchObject({ status: 200 });
});

it('an open terminal holds, and asking the guest does not', async () => {
  const client = await connectTerminal(guest.url, { shell: '/bin/sh' });
  await expect.poll(quiesce).toMatchObject({ status: 409, openRequests: 1 });
  client.type('exit\r');
  await client.closed;
  await expect.poll(quiesce).toMatchObject({ status: 200 });
});

it('a new generation is seen by new processes and not by running ones', async () => {
  await start({ command: 'while :; do echo "seen-$LATER"; sleep 0.05; done', name: 'running' });
  const body = JSON.stringify({ generation: 1, environment: { LATER: 'yes' } });
  expect((await signer.send(guest.url, { method: 'PUT', path: '/control/v1/environment', body })).status).toBe(200);
  const fresh = await start({ command: 'echo "seen-$LATER"', waitForCompletion: true });
  expect(await fresh.json()).toMatchObject({ stdout: 'seen-yes\n' });
  const logs = await fetch(`${guest.url}/process/running/logs`);
  expect(await logs.text()).not.toContain('seen-yes');
  await fetch(`${guest.url}/process/running/kill`, { method: 'DELETE' });
});
