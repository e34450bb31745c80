// One `pnpm dev` at a time: two would use the same ports and engines. The first one listens at a socket and tells others who it is. A socket
// that a killed one has left answers nobody, and is replaced.
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Claim {
  /** What the one that runs says about itself; undefined where there was none. */
  readonly running: string | undefined;
  release(): void;
}

/** `describe` is asked for each visitor. */
export async function claim(socketPath: string, describe: () => string): Promise<Claim> {
  const running = await ask(socketPath);
  if (running !== undefined) return { running, release: () => {} };
  await rm(socketPath, { force: true });
  const server = createServer((visitor) => {
    visitor.on('error', () => {});
    visitor.end(describe());
  });
  server.listen(socketPath);
  await once(server, 'listening');
  // It ends with the process.
  server.unref();
  return { running: undefined, release: () => void server.close() };
}

async function ask(socketPath: string): Promise<string | undefined> {
  const socket = connect(socketPath);
  try {
    await once(socket, 'connect');
    return await text(socket);
  } catch {
    return undefined;
  } finally {
    socket.destroy();
  }
}
