// Serves one lease. The connection is the lease: while it is open, the container is neither stopped nor put to sleep.
import type { Socket } from 'node:net';
import type { LeaseAnswer, LeaseNotice } from '@berth/contract/node';
import type { Admission, Endpoints } from './endpoint.ts';
import type { InstanceLeases } from './instance-leases.ts';

export interface LeaseTools {
  readonly instances: Endpoints;
  readonly leases: InstanceLeases;
}

/**
 * The lease counts before its container is woken, so that the container does not fall asleep between waking and the
 * answer.
 */
export async function serveLease(socket: Socket, instance: string, { instances, leases }: LeaseTools): Promise<void> {
  let state: 'asked for' | 'held' | 'over' = 'asked for';
  const end = leases.begin(instance, {
    // The holder then sends no new requests there, and closes the connection when its open requests are done.
    leave() {
      if (state === 'held' && socket.writable) socket.write(lineOf({ lease: 'over' }));
      state = 'over';
    },
    cut: () => void socket.destroy(),
  });
  // Further input is discarded; only the end of the connection matters.
  socket
    .once('close', end)
    .once('end', () => socket.end())
    .resume();
  const admission = await instances.open(instance);
  if (admission.is === 'open' && state === 'asked for') {
    state = 'held';
    if (socket.writable) socket.write(lineOf(answerTo(admission)));
    return;
  }
  end();
  socket.end(lineOf(admission.is === 'open' ? { lease: 'unknown' } : answerTo(admission)));
}

function answerTo(admission: Admission): LeaseAnswer {
  if (admission.is === 'unknown') return { lease: 'unknown' };
  if (admission.is === 'busy') return { lease: 'busy', retryAfterSeconds: admission.retryAfterSeconds };
  const { endpoint, keepMs } = admission;
  return { lease: 'held', ...endpoint, ...(keepMs === undefined ? {} : { keepMs }) };
}

const lineOf = (answer: LeaseAnswer | LeaseNotice): string => `${JSON.stringify(answer)}\n`;
