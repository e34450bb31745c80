import type { Scope } from '@berth/contract';
import type { FoundTrigger } from '../routing/trigger.ts';
import { callScope } from '../workloads/call-scope.ts';

/** Scope that a key with a list of scopes needs. */
export const triggerScope = ({ kind }: Pick<FoundTrigger, 'kind'>): Scope =>
  kind === 'job' ? 'jobs:create' : callScope({ kind });
