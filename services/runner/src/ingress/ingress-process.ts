// Ingress process, started by the runner: tunnels of gateways end here, apart from all other work. It knows only what
// the runner sends it, and ends with the runner, so that the next one finds the port free.
import { Leases } from '@berth/wire';
import { type FromIngress, ToIngress } from './ingress-messages.ts';
import { startTunnelListener, type TunnelListener } from './tunnel-listener.ts';
import { TunnelTally } from './tunnel-tally.ts';
import { WaitingRoom } from './waiting-room.ts';

/** Longer than any gateway waits: a sandbox may have to wait for memory before it wakes. */
const leaseAnswerMs = 65_000;
/** An unused lease is kept for the pause between two consecutive requests. The runner may recall it at any time. */
const leaseKeepMs = 1_000;

const waitingRoom = new WaitingRoom();
const tally = new TunnelTally((report) => {
  say({ is: 'counting', ...report });
  endWhenDone();
});
let listener: TunnelListener | undefined;
let isLeaving = false;

function say(message: FromIngress): void {
  // If the runner is gone, the `disconnect` handler ends this process.
  process.send?.(message, undefined, undefined, () => {});
}

const onTrouble = (message: string): void => say({ is: 'failing', message });

async function listen({ leaseSocket, ...place }: Extract<ToIngress, { do: 'listen' }>) {
  const leases = new Leases({ socketPath: leaseSocket, answerMs: leaseAnswerMs, keepMs: leaseKeepMs });
  const tools = {
    localSocket: leaseSocket,
    leases,
    tally,
    waitingRoom,
    isLeaving: () => isLeaving,
    now: Date.now,
    onTrouble,
  };
  listener = await startTunnelListener({ ...place, ...tools });
  say({ is: 'listening', port: listener.port });
}

function endWhenDone(): void {
  if (isLeaving && tally.open === 0) process.disconnect();
}

process.on('message', (said) => {
  const message = ToIngress.parse(said);
  if (message.do === 'show') listener?.use(message.certificate);
  if (message.do === 'leave') {
    isLeaving = true;
    listener?.close();
    waitingRoom.close();
    // Sends the last counts, so that nothing is left uncounted; the process then ends if no tunnel is open.
    tally.flush();
  }
  if (message.do === 'listen')
    listen(message).catch((err: unknown) => {
      onTrouble(String(err));
      process.disconnect();
    });
});
process.on('disconnect', () => process.exit());
// Ignored: a terminal or a service manager signals the whole process group. The runner handles the signal and then
// sends `leave`.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => {});
