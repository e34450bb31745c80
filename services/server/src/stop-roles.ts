import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@berth/telemetry';
import type { StartedRole } from './start-role.ts';

type Stoppable = Pick<StartedRole, 'name' | 'drain' | 'stop' | 'close'>;

/** Stops roles in reverse start order, all within one deadline. False when a role failed or ran out of time. */
export async function stopRoles(
  started: readonly Stoppable[],
  deadlineSeconds: number,
  logger: Logger,
): Promise<boolean> {
  for (const role of started) role.drain();
  const deadlineTimer = new AbortController();
  const deadline = sleep(deadlineSeconds * 1_000, undefined, { signal: deadlineTimer.signal }).catch(() => {});
  let clean = true;
  for (const role of started.toReversed()) {
    const outcome = await Promise.race([
      role.stop().then(
        () => 'stopped' as const,
        (error: unknown) => ({ error }),
      ),
      deadline.then(() => 'deadline' as const),
    ]);
    if (outcome === 'stopped') {
      logger.info({ stopped: role.name }, 'role stopped');
      continue;
    }
    clean = false;
    if (outcome === 'deadline')
      logger.error({ stopped: role.name, deadlineSeconds }, 'role did not stop in time; the process exits without it');
    else logger.error({ stopped: role.name, err: outcome.error }, 'role failed to stop');
  }
  deadlineTimer.abort();
  for (const role of started.toReversed()) await role.close();
  return clean;
}
