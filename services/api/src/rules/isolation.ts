import { asksForRunc, mayAskForRunc } from '@berth/instances';
import type { RuleContext } from '../resources/rules.ts';
import { kindErrors } from './errors.ts';

/** A tenant with a shared kernel endangers its neighbours, not itself, so the operator decides who may use runc. */
export function checkGeneration(
  { kind: { kind }, dependencies }: RuleContext,
  group: 'sandbox' | 'workload',
  generation: unknown,
): void {
  if (!asksForRunc(generation) || mayAskForRunc(group, dependencies.placement.runcFor)) return;
  throw kindErrors.runc_not_allowed({ kind });
}
