import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Activity, createGuestServer, type Guest, GuestLog, LiveEnvironment, readSettings } from '@berth/guest';

const withoutHelper = (): never => {
  throw new Error('This guest has no native helper: use guest-process.ts for whatever starts processes.');
};

/** The guest's HTTP server in the test's own process: for routes that start no process. */
export async function serveGuestInProcess(variables: Record<string, string>, workingDirectory: string) {
  const supervisor = new Proxy<Guest['supervisor']>(Object.create(null), {
    get: (_nothing, name) => (name === 'records' ? () => [] : withoutHelper),
  });
  const currentSettings = () => readSettings(variables, [], workingDirectory);
  const settings = currentSettings();
  const guest: Guest = {
    settings,
    environment: new LiveEnvironment({
      variables,
      stateFolder: settings.stateFolder,
      hasAccount: settings.workloadUser !== undefined,
      changed: () => {
        guest.settings = currentSettings();
      },
    }),
    activity: new Activity(),
    log: new GuestLog(),
    supervisor,
    processes: async () => ({ start: withoutHelper, list: () => [], find: () => undefined, keepAliveHolds: () => 0 }),
    stopping: new AbortController().signal,
  };
  const server = createGuestServer(guest);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    guest,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
