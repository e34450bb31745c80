import type { ProcessRequest } from '@berth/contract/guest';
import { Fault } from '../../http/fault.ts';
import { atTime } from '../end/deadline.ts';
import type { Managed } from '../managed-process.ts';
import { keepAliveSeconds } from '../process-manager.ts';

type Wait = Pick<ProcessRequest, 'waitForCompletion' | 'waitForPorts' | 'timeout' | 'keepAlive'>;

/** Seconds; 0 = no limit. With keepAlive the time to kill bounds the wait, but the two are different timers. */
function waitSeconds({ timeout, keepAlive }: Wait): number {
  return keepAlive ? keepAliveSeconds(timeout) : Math.max(0, timeout ?? 0);
}

/** Waits for the ports, then for the end, under one timer. A caller that leaves ends only the wait. */
export async function waitFor(process: Managed, wish: Wait, left: AbortSignal): Promise<void> {
  const seconds = waitSeconds(wish);
  const over = new AbortController();
  const { promise: timeIsUp, resolve: endWait } = Promise.withResolvers<'timed out' | 'left'>();
  const cancel = seconds > 0 ? atTime(Date.now() + seconds * 1000, () => endWait('timed out')) : () => {};
  const leave = () => endWait('left');
  left.addEventListener('abort', leave, { once: true });
  if (left.aborted) leave();
  try {
    const outcome = await Promise.race([wished(process, wish, over.signal), timeIsUp]);
    if (outcome === 'timed out' || (outcome === 'done' && process.state.timedOut)) throw timedOut(process, seconds);
  } finally {
    cancel();
    over.abort();
    left.removeEventListener('abort', leave);
  }
}

async function wished(process: Managed, wish: Wait, until: AbortSignal): Promise<'done'> {
  const ports = wish.waitForPorts ?? [];
  if (ports.length > 0) await process.portsReady(ports, until);
  if (wish.waitForCompletion) await process.ended();
  return 'done';
}

function timedOut({ state }: Managed, seconds: number): Fault {
  const next = state.keepAlive
    ? 'With keepAlive it is killed then. Give a longer timeout, or 0 for none.'
    : `It keeps running: GET /process/${state.pid} tells how it goes on.`;
  return new Fault(422, `Waiting for process ${state.name} (pid ${state.pid}) timed out after ${seconds} s. ${next}`);
}
