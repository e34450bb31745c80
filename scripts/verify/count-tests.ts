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
