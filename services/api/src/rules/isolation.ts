import { asksForRunc, mayAskForRunc } from '@berth/placement';
import type { RuleContext } from '../resources/rules.ts';
import { kindErrors } from './errors.ts';

/** A tenant with a shared kernel endangers its neighbours, not itself, so the operator decides who may use runc. */
export function checkGeneration(
  { dependencies }: RuleContext,
  kind: 'agent' | 'function' | 'sandbox',
  generation: unknown,
): void {
  const guarded = kind === 'sandbox' ? 'sandbox' : 'workload';
  if (!asksForRunc(generation) || mayAskForRunc(guarded, dependencies.placement.runcFor)) return;
  throw kindErrors.runc_not_allowed({ kind });
}
