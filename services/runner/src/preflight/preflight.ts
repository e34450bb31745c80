// Before anything else: a machine on which limits or walls between tenants would not hold is refused, with all that is wrong at once.
import { type IsolationClass, isolationClasses } from '@berth/contract';
import { checks, type Problem } from './checks.ts';
import type { Facts } from './facts.ts';

class PreflightError extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    const lines = problems.map(({ reason, fix }) => `- ${reason}\n  ${fix}`);
    super(`This machine cannot run a runner yet:\n${lines.join('\n')}`);
    this.problems = problems;
  }
}

/** `wanted` is `runner.isolation`; every class that the engine has when absent. */
export function assertSuitable(facts: Facts, wanted: readonly IsolationClass[] | undefined): void {
  const problems = checks.flatMap((check) => check(facts, wanted ?? isolationClasses) ?? []);
  if (problems.length > 0) throw new PreflightError(problems);
}
