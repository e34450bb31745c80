// Guests of neighbouring releases, as listeners that give their answers.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openControlKey } from './control-key.ts';
import { GuestControl } from './guest-control.ts';

async function guestThatSays(status: number, body: object) {
  const folder = await mkdtemp(join(tmpdir(), 'berth-control-'));
  const guest = createServer((_, response) => response.writeHead(status).end(JSON.stringify(body)));
  guest.listen(0, '127.0.0.1');
  await once(guest, 'listening');
  onTestFinished(async () => {
    guest.close();
    await rm(folder, { recursive: true });
  });
  const address = guest.address();
  if (typeof address !== 'object' || address === null) throw new Error('no address');
  const control = new GuestControl(await openControlKey(folder));
  return () => control.state({ instance: randomUUID(), address: '127.0.0.1', port: address.port });
}

const state = { openRequests: 0, idleMs: 5, keepAliveHolds: 0, environmentGeneration: 1 };

test.each([
  ['the release before, without the list of versions', state],
  [
    'the next release, with another version and another field',
    { ...state, versions: ['v1', 'v2'], newer: { field: 1 } },
  ],
])('the state of a guest of %s is read', async (_, body) => {
  const read = await guestThatSays(200, body);
  expect(await read()).toEqual(state);
});

test('a guest that serves no control version of the runner is reported with the version and the next step', async () => {
  const read = await guestThatSays(404, {});
  await expect(read()).rejects.toThrow(
    'This runner speaks version v1 of the control calls, which the guest does not serve. Delete the sandbox and make it again.',
  );
});
