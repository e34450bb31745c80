import type { DatabaseTransaction } from '@berth/database';
import type { Decision } from '../deployments/apply.ts';
import type { ResourceRow } from '../deployments/load.ts';
import type { Dependencies } from '../run/dependencies.ts';
import { applySandbox } from './apply.ts';
import { loadSandbox } from './load.ts';
import { planSandbox } from './plan.ts';

/** The caller holds the lock on the sandbox's row. */
export async function decideSandbox(
  tx: DatabaseTransaction,
  dependencies: Dependencies,
  row: ResourceRow,
): Promise<Decision> {
  const loaded = await loadSandbox(tx, row, dependencies);
  const actions = planSandbox(loaded.observed);
  return { applied: await applySandbox(tx, dependencies, loaded, actions), now: loaded.observed.now };
}
