import type { ProcessRequest } from '@berth/contract/guest';
import { Fault } from '../../http/fault.ts';
import { callAt } from '../end/deadline.ts';
import type { ManagedProcess } from '../managed-process.ts';
import { keepAliveSeconds } from '../start/new-process-state.ts';

type Wait = Pick<ProcessRequest, 'waitForCompletion' | 'waitForPorts' | 'timeout' | 'keepAlive'>;

/** Seconds; 0 = no limit. With keepAlive the time to kill bounds the wait, but the two are different timers. */
function waitSeconds({ timeout, keepAlive }: Wait): number {
  return keepAlive ? keepAliveSeconds(timeout) : Math.max(0, timeout ?? 0);
}

/** Waits for the ports, then for the end, under one timer. A caller that leaves ends only the wait. */
export async function waitForProcess(process: ManagedProcess, request: Wait, left: AbortSignal): Promise<void> {
  const seconds = waitSeconds(request);
  const over = new AbortController();
  const { promise: timeIsUp, resolve: endWait } = Promise.withResolvers<'timed out' | 'left'>();
  const cancel = seconds > 0 ? callAt(Date.now() + seconds * 1000, () => endWait('timed out')) : () => {};
  const leave = () => endWait('left');
  left.addEventListener('abort', leave, { once: true });
  if (left.aborted) leave();
  try {
    const outcome = await Promise.race([waitForRequested(process, request, over.signal), timeIsUp]);
    if (outcome === 'timed out' || (outcome === 'done' && process.state.timedOut)) throw timeoutFault(process, seconds);
  } finally {
    cancel();
    over.abort();
    left.removeEventListener('abort', leave);
  }
}

async function waitForRequested(process: ManagedProcess, request: Wait, until: AbortSignal): Promise<'done'> {
  const ports = request.waitForPorts ?? [];
  if (ports.length > 0) await process.portsReady(ports, until);
  if (request.waitForCompletion) await process.ended();
  return 'done';
}

function timeoutFault({ state }: ManagedProcess, seconds: number): Fault {
  const next = state.keepAlive
    ? 'With keepAlive it is killed then. Give a longer timeout, or 0 for none.'
    : `It keeps running: GET /process/${state.pid} tells how it goes on.`;
  return new Fault(422, `Waiting for process ${state.name} (pid ${state.pid}) timed out after ${seconds} s. ${next}`);
}
