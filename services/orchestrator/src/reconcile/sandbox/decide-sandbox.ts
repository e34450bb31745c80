import type { DatabaseTransaction } from '@berth/database';
import { planSandbox } from '../../plan/plan-sandbox.ts';
import type { Decided } from '../apply.ts';
import type { Dependencies } from '../dependencies.ts';
import type { ResourceRow } from '../load.ts';
import { applySandbox } from './apply-sandbox.ts';
import { loadSandbox } from './load-sandbox.ts';

/** The caller holds the lock on the sandbox's row. */
export async function decideSandbox(
  tx: DatabaseTransaction,
  dependencies: Dependencies,
  row: ResourceRow,
): Promise<Decided> {
  const loaded = await loadSandbox(tx, row, dependencies);
  const actions = planSandbox(loaded.observed);
  return { applied: await applySandbox(tx, dependencies, loaded, actions), now: loaded.observed.now };
}
