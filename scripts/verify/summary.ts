import { type Counted, summaryLine } from './count-tests.ts';
import type { StageResult } from './run-stage.ts';
import { limitSeconds, shareOf } from './time-budget.ts';

const slowestShown = 10;
const tolerated = 2;
/** Smallest share used for warnings: a file that runs only with --full has share 0 and is skipped at once. */
const leastShare = 5;

/** Final output of `pnpm verify`. The last line is the count that CI reads. */
export function summary(
  results: readonly StageResult[],
  { isFull, seconds }: { isFull: boolean; seconds: number },
): string[] {
  const files = results.flatMap(({ name, fileSeconds }) =>
    Object.entries(fileSeconds).map(([file, took]) => ({ stage: name, file, seconds: took })),
  );
  const slowest = files.toSorted((one, other) => other.seconds - one.seconds).slice(0, slowestShown);
  return [
    '── the slowest files ──',
    ...slowest.map((file) => `${inSeconds(file.seconds)}  ${file.file} (${file.stage})`),
    '── summary ──',
    ...(isFull ? [] : warnings(files, seconds)),
    ...results.map(stageLine),
    `${' '.repeat(6)}${inSeconds(seconds)}  altogether`,
    // Near the end: a reader who sees only the last lines of a run must learn what failed.
    ...results.flatMap(({ failures }) => failures.map((failure) => `failed: ${failure}`)),
    summaryLine(total(results)),
  ];
}

function warnings(files: readonly { file: string; seconds: number }[], seconds: number): string[] {
  const over = files.filter(({ file, seconds: took }) => took > tolerated * Math.max(shareOf(file), leastShare));
  return [
    ...over.map(
      ({ file, seconds: took }) =>
        `warning: ${file} took ${Math.round(took)} s, its share is ${shareOf(file)} s. Make it cheaper, or change scripts/verify/time-budget.ts.`,
    ),
    ...(seconds > limitSeconds
      ? [`warning: the run took ${Math.round(seconds)} s, its limit is ${limitSeconds} s on a quiet machine.`]
      : []),
  ];
}

function stageLine({ name, ok, seconds, ...counted }: StageResult): string {
  const tests = counted.passed + counted.failed > 0 ? `  ${summaryLine(counted)}` : '';
  return `${ok ? 'ok    ' : 'FAILED'}${inSeconds(seconds)}  ${name}${tests}`;
}

function total(results: readonly StageResult[]): Counted {
  const sum = (key: keyof Counted) => results.reduce((soFar, result) => soFar + result[key], 0);
  return { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') };
}

const inSeconds = (seconds: number): string => `${seconds.toFixed(1).padStart(8)} s`;
