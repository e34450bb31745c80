// The native helper in a container, driven by frames of its protocol. A stand-in program runs in place of the guest: it
// forwards the frames over the guest's port and serves the log folders.
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type GuestContainer,
  type GuestContainerOptions,
  startGuestContainer,
} from '../../../../tests/harness/guest-container.ts';
import { Connection, type HelperRecord, newKey, type Wish } from '../native-helper.ts';

const standIn = `
const { createServer } = require('node:http');
const { mkdirSync, readdirSync, readFileSync } = require('node:fs');
const { Socket } = require('node:net');
const helper = new Socket({ fd: 3, readable: true, writable: true });
const place = process.env.SANDBOX_LOG_DIR;
const server = createServer((request, response) => {
  if (request.url === '/health') return response.end(JSON.stringify({ pid: process.pid, place, uid: process.getuid() }));
  if (request.method === 'PUT') return response.end(String(mkdirSync(request.url, { recursive: true })));
  const files = readdirSync(request.url).sort().map((name) => [name, readFileSync(request.url + '/' + name, 'latin1')]);
  response.end(JSON.stringify(Object.fromEntries(files)));
});
server.on('upgrade', (_, socket, head) => {
  helper.write(head);
  socket.on('error', () => undefined);
  socket.pipe(helper, { end: false });
  helper.pipe(socket);
});
server.listen({ fd: 4, backlog: 4096 });
`;

export type HelperContainer = AsyncDisposable & {
  guest: GuestContainer;
  /** Connects to the frames of the current guest, from the first frame since its start. */
  connect(): Promise<Connection>;
  about(): Promise<{ pid: number; place: string; uid: number }>;
  logFolder(): Promise<string>;
  files(folder: string): Promise<Record<string, string>>;
  run(connection: Connection, wish: Wish): Promise<{ record: HelperRecord; stdout: string }>;
};

export async function startHelperContainer(
  dockerUrl: string,
  options: GuestContainerOptions,
): Promise<HelperContainer> {
  const guestFolder = await mkdtemp(join(tmpdir(), 'stand-in-'));
  await chmod(guestFolder, 0o755);
  await writeFile(join(guestFolder, 'main.js'), standIn);
  await writeFile(join(guestFolder, 'package.json'), '{"type":"commonjs"}');
  const guest = await startGuestContainer(dockerUrl, { ...options, guestFolder });
  const { hostname, port } = new URL(guest.url);
  const self: HelperContainer = {
    guest,
    async connect() {
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      socket.write('GET / HTTP/1.1\r\nHost: guest\r\nConnection: Upgrade\r\nUpgrade: frames\r\n\r\n');
      return new Connection(socket);
    },
    about: async () => JSON.parse(await (await fetch(`${guest.url}/health`)).text()),
    async logFolder() {
      const folder = `${(await self.about()).place}/${newKey()}`;
      await fetch(`${guest.url}${folder}`, { method: 'PUT' });
      return folder;
    },
    files: async (folder) => JSON.parse(await (await fetch(`${guest.url}${folder}`)).text()),
    async run(connection, wanted) {
      const [key, logFolder] = [newKey(), await self.logFolder()];
      connection.spawn(key, { ...wanted, logFolder });
      const { stage, errno } = await connection.next('s', key);
      if (stage !== 0) throw new Error(`It did not start: stage ${stage}, error ${errno}.`);
      const { record } = await connection.next('x', key);
      const files = Object.entries(await self.files(logFolder));
      const stdout = files.filter(([name]) => name.startsWith('stdout-')).map(([, text]) => text);
      return { record, stdout: stdout.join('') };
    },
    async [Symbol.asyncDispose]() {
      await guest[Symbol.asyncDispose]();
      await rm(guestFolder, { recursive: true, force: true });
    },
  };
  return self;
}
