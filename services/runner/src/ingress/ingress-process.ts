// A process of its own, started by the runner: tunnels of gateways end here, beside no other work. It knows no more than it is
// told, and ends with the runner, so that the next one finds the port free.
import { Leases } from '@berth/wire';
import { type FromIngress, ToIngress } from './ingress-messages.ts';
import { startTunnelListener, type TunnelListener } from './tunnel-listener.ts';
import { TunnelTally } from './tunnel-tally.ts';
import { WaitingRoom } from './waiting-room.ts';

/** Longer than any gateway waits: a sandbox may have to wait for memory before it wakes. */
const leaseAnswerMs = 65_000;
/** Over the pause between two requests that follow each other; the runner may ask for it back at any time. */
const leaseKeepMs = 1_000;

const waitingRoom = new WaitingRoom();
const tally = new TunnelTally((report) => {
  say({ is: 'counting', ...report });
  endWhenDone();
});
let listener: TunnelListener | undefined;
let isLeaving = false;

function say(message: FromIngress): void {
  // The runner may be gone; then `disconnect` ends us.
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
    // Told once more, so that nothing is left uncounted, and then over when nothing is open.
    tally.flush();
  }
  if (message.do === 'listen')
    listen(message).catch((err: unknown) => {
      onTrouble(String(err));
      process.disconnect();
    });
});
process.on('disconnect', () => process.exit());
// Meant for the runner, which then asks us to leave: a terminal or a service manager tells the whole group.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => {});
