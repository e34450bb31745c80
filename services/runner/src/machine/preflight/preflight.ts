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
  const problems = Object.values(checks).flatMap((check) => check(facts, wanted) ?? []);
  if (problems.length > 0) throw new PreflightError(problems);
}

export const warningsOf = (facts: Facts, wanted: Wanted): Problem[] =>
  Object.values(warnings).flatMap((check) => check(facts, wanted) ?? []);

export interface NamedProblem extends Problem {
  readonly name: string;
  /** The runner starts all the same. */
  readonly isWarning: boolean;
}

/** Problems and warnings, each with the name of its check. */
export function namedProblems(facts: Facts, wanted: Wanted): NamedProblem[] {
  const failed = (list: typeof checks, isWarning: boolean): NamedProblem[] =>
    Object.entries(list).flatMap(([name, check]) => {
      const problem = check(facts, wanted);
      return problem === undefined ? [] : [{ name, isWarning, ...problem }];
    });
  return [...failed(checks, false), ...failed(warnings, true)];
}
