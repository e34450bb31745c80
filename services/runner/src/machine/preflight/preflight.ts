// Refuses a machine on which limits or tenant isolation would not hold, before anything else is done. The error lists
// all problems at once.
import { checks, type Problem, type Wanted, warnings } from './checks.ts';
import type { Facts } from './facts.ts';

class PreflightError extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    const lines = problems.map(({ reason, fix }) => `- ${reason}\n  ${fix}`);
    super(`This machine cannot run a runner yet:\n${lines.join('\n')}`);
    this.problems = problems;
  }
}

export function assertSuitable(facts: Facts, wanted: Wanted): void {
  const problems = checks.flatMap((check) => check(facts, wanted) ?? []);
  if (problems.length > 0) throw new PreflightError(problems);
}

export const warningsOf = (facts: Facts, wanted: Wanted): Problem[] =>
  warnings.flatMap((check) => check(facts, wanted) ?? []);
