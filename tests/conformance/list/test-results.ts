// Reads the result of each test from vitest's JSON report.
import { basename } from 'node:path';
import { z } from 'zod';

export interface TestResult {
  readonly title: string;
  /** File name without `.test.ts`. */
  readonly group: string;
  readonly status: string;
}

const Report = z.object({
  success: z.boolean(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
});

export interface RunResult {
  readonly tests: readonly TestResult[];
  /** Files that failed outside of their tests, so that no test reports it. */
  readonly brokenFiles: readonly string[];
}

/** A missing or truncated report is an error, never an empty run. */
export function readTestResults(report: string): RunResult {
  const { testResults } = Report.parse(JSON.parse(report));
  return {
    tests: testResults.flatMap(({ name, assertionResults }) =>
      assertionResults.map(({ fullName, status }) => ({
        title: fullName,
        group: basename(name, '.test.ts'),
        status,
      })),
    ),
    brokenFiles: testResults
      .filter(
        ({ status, assertionResults }) =>
          status === 'failed' && !assertionResults.some((result) => result.status === 'failed'),
      )
      .map(({ name }) => basename(name)),
  };
}
