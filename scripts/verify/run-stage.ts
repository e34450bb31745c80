import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment } from '@berth/telemetry';
import { compileCache } from '../../engines/folders.ts';
import { type Counted, countFromSummary, countFromVitest, failuresFromVitest } from './count-tests.ts';
import type { Stage } from './stages.ts';

export type StageResult = Counted & {
  name: string;
  ok: boolean;
  seconds: number;
  /** A line for each failed test, as far as the stage reports them. */
  failures: string[];
  /** Seconds per test file. */
  fileSeconds: Readonly<Record<string, number>>;
};

const reporters = [
  'default',
  'json',
  ...['file-times.ts', 'print-failures.ts'].map((name) => join(import.meta.dirname, name)),
];

export async function runStage(
  stage: Stage,
  print: (text: string) => void = (text) => void process.stdout.write(text),
): Promise<StageResult> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-verify-'));
  const report = join(folder, 'report.json');
  const times = join(folder, 'times.json');
  const reporting =
    stage.counts === 'vitest'
      ? [...reporters.map((reporter) => `--reporter=${reporter}`), `--outputFile.json=${report}`]
      : [];
  const startedAt = performance.now();
  const variables = { ...(await compileCache()), ...stage.env, BERTH_TEST_TIMES: times };
  const { exitCode, output } = await run([...stage.script, ...reporting], variables, print);
  const seconds = (performance.now() - startedAt) / 1_000;

  let counted: Counted = { passed: 0, failed: 0, skipped: 0 };
  let failures: string[] = [];
  let fileSeconds: Record<string, number> = {};
  if (stage.counts === 'vitest') {
    const text = await readFile(report, 'utf8').catch(() => '');
    counted = countFromVitest(text);
    failures = failuresFromVitest(text);
    fileSeconds = JSON.parse(await readFile(times, 'utf8').catch(() => '{}'));
  }
  if (stage.counts === 'summary') counted = countFromSummary(output);
  await rm(folder, { recursive: true, force: true });

  const ok = exitCode === 0 && counted.failed === 0;
  // A stage that fails without a failed test (a crash, a check) must still count in the total.
  const failed = ok ? 0 : Math.max(counted.failed, 1);
  return { ...counted, name: stage.name, ok, failed, seconds, failures, fileSeconds };
}

function run(
  script: readonly string[],
  env: Stage['env'],
  print: (text: string) => void,
): Promise<{ exitCode: number; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn('pnpm', [...script], {
      env: { ...environment, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      print(text);
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', print);
    child.on('error', reject);
    child.on('close', (code) => resolve({ exitCode: code ?? 1, output }));
  });
}
