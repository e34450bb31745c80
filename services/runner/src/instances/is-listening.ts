// Checks that a port accepts connections. The protocol behind it is the workload's own matter.
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

/** Short pauses at first, when most instances come up, then longer ones. */
export function probePauseMs(tries: number): number {
  return Math.min(250, 10 * 1.15 ** Math.min(100, tries));
}
