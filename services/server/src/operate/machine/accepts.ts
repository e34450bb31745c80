import { once } from 'node:events';
import { connect } from 'node:net';

const answerSeconds = 5;

/** Whether a listener accepts connections at the host and port of a URL. */
export async function accepts(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 443) });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(answerSeconds * 1_000) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
