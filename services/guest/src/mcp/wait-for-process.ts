// Waiting through MCP. An edge in front of the sandbox ends a call without bytes after about 60 s, so no wait is longer than
// 58 s. That bound is about the answer alone: the process lives as long as its caller said.
import { Fault } from '../http/fault.ts';
import type { ManagedProcess } from '../processes/processes.ts';

const MOST_WAIT_SECONDS = 58;

export type ProcessWait = {
  ports: readonly number[];
  completion: boolean;
  /** 0 = no limit. */
  timeoutSeconds: number;
};

/** False when it goes on although the caller wanted to wait longer. A Fault when the caller's own time is over. */
export async function waitForProcess(
  started: ManagedProcess,
  { ports, completion, timeoutSeconds }: ProcessWait,
  left: AbortSignal,
): Promise<boolean> {
  const isCapped = timeoutSeconds === 0 || timeoutSeconds > MOST_WAIT_SECONDS;
  const waitSeconds = isCapped ? MOST_WAIT_SECONDS : timeoutSeconds;
  const over = new AbortController();
  const wanted = async () => {
    if (ports.length > 0) await started.portsReady(ports, over.signal);
    if (completion) await started.ended();
    return 'done' as const;
  };
  const outcome = await firstOf(wanted(), waitSeconds * 1000, left).finally(() => over.abort());
  // With keepAlive the process is killed when the caller's time is over, and may end before this wait does.
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
  // Whoever loses the race must not fail unheard.
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
