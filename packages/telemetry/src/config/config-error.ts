export type ConfigProblem = {
  /** A path in the file (`api.port`), a variable (`BERTH_API_PORT`) or a file. */
  key: string;
  reason: string;
  /** Instruction to the operator. */
  next: string;
};

/** Carries all problems at once. No problem repeats a value, because the value may be a secret. */
export class ConfigError extends Error {
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    const lines = problems.map(({ key, reason, next }) => `  ${key}: ${reason} ${next}`);
    super(`The configuration cannot be used:\n${lines.join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}
