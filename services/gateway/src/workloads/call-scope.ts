import type { Scope } from '@berth/contract';
import type { Workload } from './workload.ts';
import { workloadKinds } from './workload-kinds.ts';

/** Scope that a key with a list of scopes needs to call the workload. */
export const callScope = ({ kind }: Pick<Workload, 'kind'>): Scope => workloadKinds[kind].callScope;
