import { relative } from 'node:path';

type Counted = { passed: number; failed: number };

/** Reads vitest's JSON report. A report that is missing or cut off counts as one failure, never as nothing to do. */
export function countFromVitest(report: string): Counted {
  try {
    const { numPassedTests, numFailedTests, success } = JSON.parse(report);
    const failed = Number(numFailedTests);
    return { passed: Number(numPassedTests), failed: failed === 0 && success !== true ? 1 : failed };
  } catch {
    return { passed: 0, failed: 1 };
  }
}

export function countFromSummary(output: string): Counted {
  const [, passed, failed] = [...output.matchAll(/^(\d+) passed, (\d+) failed$/gm)].at(-1) ?? [];
  return passed === undefined || failed === undefined
    ? { passed: 0, failed: 1 }
    : { passed: Number(passed), failed: Number(failed) };
}

type Told = { fullName: string; status: string; failureMessages?: string[] };

/** One line for each failed test of vitest's JSON report: the end of a long output must say what broke. */
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
