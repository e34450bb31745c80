// Waits through MCP. An edge proxy in front of the sandbox closes a call without bytes after about 60 s, so no wait is
// longer than 58 s. The bound applies to the answer only: the process lives as long as its caller said.
import { Fault } from '../http/fault.ts';
import type { ProcessHandle } from '../processes/processes.ts';

const maxWaitSeconds = 58;

export type ProcessWait = {
  ports: readonly number[];
  completion: boolean;
  /** 0 = no limit. */
  timeoutSeconds: number;
};

/** False when the wait ends while the process goes on. Throws a Fault when the caller's own timeout has passed. */
export async function waitForProcess(
  started: ProcessHandle,
  { ports, completion, timeoutSeconds }: ProcessWait,
  left: AbortSignal,
): Promise<boolean> {
  const isCapped = timeoutSeconds === 0 || timeoutSeconds > maxWaitSeconds;
  const waitSeconds = isCapped ? maxWaitSeconds : timeoutSeconds;
  const over = new AbortController();
  const wanted = async () => {
    if (ports.length > 0) await started.portsReady(ports, over.signal);
    if (completion) await started.ended();
    return 'done' as const;
  };
  const outcome = await firstOf(wanted(), waitSeconds * 1000, left).finally(() => over.abort());
  // With keepAlive the process is killed at the caller's timeout, and may end before this wait does.
  const isLate = outcome === 'late' || (outcome === 'done' && started.isTimedOut());
  if (isLate && !isCapped) {
    const { pid } = await started.describe('started');
    throw new Fault(
      422,
      `The wait timed out after ${timeoutSeconds} s. Call processGet or processGetLogs with identifier "${pid}" to see what became of it.`,
    );
  }
  return outcome === 'done';
}

async function firstOf(
  wanted: Promise<'done'>,
  milliseconds: number,
  left: AbortSignal,
): Promise<'done' | 'late' | 'left'> {
  // A promise that loses the race must not become an unhandled rejection.
  wanted.catch(() => undefined);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, milliseconds, 'late');
  });
  const gone = new Promise<'left'>((resolve) => {
    if (left.aborted) resolve('left');
    left.addEventListener('abort', () => resolve('left'), { once: true });
  });
  try {
    return await Promise.race([wanted, late, gone]);
  } finally {
    clearTimeout(timer);
  }
}
