// Whether something listens. A connection is all that is asked: what speaks there, and how, is the workload's own matter.
import { connect } from 'node:net';

const connectMs = 1_000;

export function isListening(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(connectMs, () => end(false));
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}

/** Often at first, when most of them come up, then less. */
export function probePauseMs(tries: number): number {
  return Math.min(250, 10 * 1.15 ** Math.min(100, tries));
}
