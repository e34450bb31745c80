export type Round = { ok: boolean; failures: readonly string[] };

/** Number of failures per test, the most frequent first. A round that failed without a failed test is counted too. */
export function verdict(rounds: readonly Round[]): string[] {
  const counts = new Map<string, number>();
  for (const { ok, failures } of rounds) {
    const named = failures.length > 0 || ok ? failures : ['the command itself'];
    for (const failure of named) counts.set(failure, (counts.get(failure) ?? 0) + 1);
  }
  const failed = rounds.filter(({ ok }) => !ok).length;
  return [
    ...[...counts]
      .toSorted(([, one], [, other]) => other - one)
      .map(([name, count]) => `failed ${count} of ${rounds.length}: ${name}`),
    `${rounds.length - failed} of ${rounds.length} rounds without a failure`,
  ];
}
