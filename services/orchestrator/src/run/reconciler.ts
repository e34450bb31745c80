import type { DatabaseTransaction } from '@berth/database';
import type { Dependencies } from './dependencies.ts';
import type { ResourceRow } from './lock-resource.ts';
import type { Retired } from './retire-instances.ts';

/** Decides about the resources of some kinds. */
export interface Reconciler {
  readonly kinds: readonly string[];
  /** Loads, plans and applies. The caller holds the lock on the resource's row. */
  decide(tx: DatabaseTransaction, dependencies: Dependencies, row: ResourceRow): Promise<Decision>;
}

export interface Decision {
  readonly applied: Applied;
  /** Time of the database's clock. */
  readonly now: number;
}

export interface Applied {
  readonly started: readonly Started[];
  readonly retired: readonly Retired[];
  /** Something was written, so that requests may have to be routed elsewhere. */
  readonly isChanged: boolean;
  /** At least one wanted instance was not placed. */
  readonly hasUnplaced: boolean;
  /** Times at which the next decision is due without a message. */
  readonly dueAt: readonly number[];
}

export interface Started {
  readonly id: string;
  readonly runnerId: string;
  readonly revision: string;
}
