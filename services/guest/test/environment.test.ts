// Variables of a sandbox on the real helper, as seen by a shell that starts at a given moment.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type GuestProcess, startGuestProcess } from '../../../tests/harness/guest-process.ts';
import { createRunnerSigner } from '../../../tests/harness/runner-signature.ts';
import { connectTerminal } from '../../../tests/harness/terminal-client.ts';

const signer = createRunnerSigner('instance-1');

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'guest-environment-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Variables of a shell that starts now. */
async function variablesOf(guest: GuestProcess, sessionId: string): Promise<string> {
  await using client = await connectTerminal(guest.url, { shell: '/bin/sh', sessionId, cols: 1000 });
  client.type('env; exit\r');
  await client.closed;
  return client.shown();
}

const put = (guest: GuestProcess, body: object) =>
  signer.send(guest.url, { method: 'PUT', path: '/control/v1/environment', body: JSON.stringify(body) });

it('R-53 more than 4000 characters arrive by file; existing variables win', async () => {
  const extra = join(folder, 'extra');
  await writeFile(extra, `LONG\0${'x'.repeat(900)}end\0A\0file\0MANY\0${'y'.repeat(90_000)}\0`);
  await using guest = await startGuestProcess({ variables: { SERVICE_ENV_VAR_PATH: extra, A: 'boot' } });
  const shown = await variablesOf(guest, 'extra');
  expect(shown).toContain(`${'x'.repeat(900)}end`);
  expect(shown).toMatch(/^A=boot/m);
});

it('R-53 a bad file of extra variables is told in the log, and the guest answers all the same', async () => {
  const extra = join(folder, 'extra');
  await writeFile(extra, 'A=B\0x\0GOOD\0yes\0');
  await using guest = await startGuestProcess({ variables: { SERVICE_ENV_VAR_PATH: extra } });
  expect(await variablesOf(guest, 'bad')).toMatch(/^GOOD=yes/m);
  expect(guest.output()).toContain('these cannot be set: A=B');
});

it('a generation reaches new shells and not the runner’s key, outlives the guest, and unsets with the next', async () => {
  await using guest = await startGuestProcess({ variables: { ...signer.variables } });
  expect((await put(guest, { generation: 1, environment: { FIRST: 'one', SECOND: 'two' } })).status).toBe(200);
  const before = await variablesOf(guest, 'before');
  expect(before).toMatch(/^FIRST=one/m);
  expect(before).not.toContain('SANDBOX_CONTROL_KEY');
  process.kill(await guest.guestPid(), 'SIGKILL');
  expect(await variablesOf(guest, 'after')).toMatch(/^FIRST=one/m);
  await expect.poll(async () => (await put(guest, { generation: 2, environment: { SECOND: '2' } })).status).toBe(200);
  const last = await variablesOf(guest, 'last');
  expect(last).not.toMatch(/^FIRST=/m);
  expect(last).toMatch(/^SECOND=2/m);
});

it('the runner’s signature holds on a real guest, and one for another sandbox does not', async () => {
  await using guest = await startGuestProcess({ variables: { ...signer.variables } });
  const answer = await signer.send(guest.url, { path: '/control/v1/state' });
  expect(await answer.json()).toMatchObject({ guestVersion: '0.1.0', openRequests: 0, keepAliveHolds: 0 });
  expect((await createRunnerSigner('instance-1').send(guest.url, { path: '/control/v1/state' })).status).toBe(403);
});
