// The epoch of the deployment. Runners compare it with the one that they have met last: another one tells them that the
// database was restored and may not know all instances.
import type { Database } from './connect.ts';

export interface DeploymentEpoch {
  readonly epoch: string;
  /** A copy that takes no runners and does nothing to other systems. */
  readonly isRehearsal: boolean;
}

/**
 * Throws for a database whose restore is not finished. Its warm sandboxes may have an owner that it does not know, so nothing
 * may be started on it.
 */
export async function loadDeploymentEpoch(database: Database): Promise<DeploymentEpoch> {
  const row = await database
    .selectFrom('deployment_epoch')
    .select(['epoch', 'is_rehearsal as isRehearsal'])
    .executeTakeFirst();
  if (row !== undefined) return row;
  throw new Error(
    'This database was restored, and the restore is not finished. Run berth-server restore again with --replace, or berth-server finish-restore if it was restored by other means.',
  );
}
