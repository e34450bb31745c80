import { connect } from 'node:net';

const quietMs = 250;
const firstByteMs = 1_500;

/**
 * Sends bytes in one or several pieces. Returns all bytes received until the peer closes or sends nothing for a while.
 */
export function sendRaw(port: number, bytes: Buffer, cutAt: number | undefined): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const finish = () => socket.destroy();
    const timer = setTimeout(finish, firstByteMs);
    let quiet: NodeJS.Timeout | undefined;
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      clearTimeout(quiet);
      quiet = setTimeout(finish, quietMs);
    });
    socket.on('error', () => {});
    socket.on('end', finish);
    socket.on('close', () => {
      clearTimeout(timer);
      clearTimeout(quiet);
      resolve(Buffer.concat(chunks));
    });
    socket.on('connect', () => {
      if (cutAt === undefined) return void socket.write(bytes);
      socket.write(bytes.subarray(0, cutAt));
      setTimeout(() => !socket.destroyed && socket.write(bytes.subarray(cutAt)), 5);
    });
  });
}
