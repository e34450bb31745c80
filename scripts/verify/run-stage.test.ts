import { expect, test } from 'vitest';
import { runStage } from './run-stage.ts';

const node = (code: string) => ['exec', 'node', '--eval', code];

test('a check that ends with an error counts as one failure', async () => {
  const result = await runStage({ name: 'check', script: node('process.exit(3)') });
  expect(result).toMatchObject({ ok: false, passed: 0, failed: 1 });
});

test('a program that counts its tests is believed, and passes only when it says so and exits well', async () => {
  const say = (line: string, code: number) => node(`console.log('${line}'); process.exitCode = ${code}`);
  const run = (script: string[]) => runStage({ name: 'program', script, counts: 'summary' });
  expect(await run(say('5 passed, 0 failed', 0))).toMatchObject({ ok: true, passed: 5, failed: 0 });
  expect(await run(say('5 passed, 2 failed', 0))).toMatchObject({ ok: false, passed: 5, failed: 2 });
  expect(await run(say('5 passed, 0 failed', 1))).toMatchObject({ ok: false, passed: 5, failed: 1 });
});

test('a stage gets its variables', async () => {
  const script = node('process.exit(process.env.PLANTED === "yes" ? 0 : 1)');
  expect(await runStage({ name: 'variables', script, env: { PLANTED: 'yes' } })).toMatchObject({ ok: true });
});
