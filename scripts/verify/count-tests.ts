import { relative } from 'node:path';

export type Counted = { passed: number; failed: number; skipped: number };

const nothingReported: Counted = { passed: 0, failed: 1, skipped: 0 };

/** Reads vitest's JSON report. A missing or truncated report counts as one failure, never as an empty run. */
export function countFromVitest(report: string): Counted {
  try {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests = 0, success } = JSON.parse(report);
    const failed = Number(numFailedTests);
    return {
      passed: Number(numPassedTests),
      failed: failed === 0 && success !== true ? 1 : failed,
      skipped: Number(numPendingTests) + Number(numTodoTests),
    };
  } catch {
    return nothingReported;
  }
}

export function countFromSummary(output: string): Counted {
  const lines = [...output.matchAll(/^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/gm)];
  const [, passed, failed, skipped = '0'] = lines.at(-1) ?? [];
  return passed === undefined || failed === undefined
    ? nothingReported
    : { passed: Number(passed), failed: Number(failed), skipped: Number(skipped) };
}

/** The line that CI reads. Skipped tests are listed only if there are any. */
export const summaryLine = ({ passed, failed, skipped }: Counted): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;

type Told = { fullName: string; status: string; failureMessages?: string[] };

/** One line for each failed test of vitest's JSON report: the end of a long output must name the failures. */
export function failuresFromVitest(report: string): string[] {
  try {
    const files: { name: string; message?: string; status: string; assertionResults: Told[] }[] =
      JSON.parse(report).testResults;
    return files.flatMap(({ name, message, status, assertionResults }) => {
      const failed = assertionResults.filter((test) => test.status === 'failed');
      if (failed.length === 0) return status === 'failed' ? [line(name, message)] : [];
      return failed.map(({ fullName, failureMessages }) => line(`${name}: ${fullName}`, failureMessages?.[0]));
    });
  } catch {
    return [];
  }
}

function line(what: string, message = ''): string {
  return `${relative('.', what)}: ${message.replaceAll(/\s+/g, ' ').slice(0, 400)}`;
}
