import { resourceErrors } from '@berth/contract';
import { limitOf } from '@berth/instances';
import type { RuleContext } from '../resources/rules.ts';
import { numberOf } from './spec-fields.ts';

/** Refuses a workload that asks for more memory than the account's limit. */
export function checkMemory({ workspace, dependencies }: RuleContext, memoryMb: unknown): void {
  const limit = limitOf(workspace.account, dependencies.config, 'memory');
  if ((numberOf(memoryMb) ?? 0) > limit) throw resourceErrors.quota_exceeded({ limit, resourceType: 'memory' });
}
