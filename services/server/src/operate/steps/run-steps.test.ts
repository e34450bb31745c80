import { expect, test } from 'vitest';
import { Fault } from '../machine/fault.ts';
import { runSteps, type Step } from './run-steps.ts';

async function run(steps: readonly Step<undefined>[]) {
  const lines: string[] = [];
  let clock = 0;
  const outcome = await runSteps(steps, undefined, {
    print: (line) => void lines.push(line),
    now: () => {
      clock += 600;
      return clock;
    },
  }).catch((error: unknown) => error);
  return { lines, outcome };
}

test('steps run in order, and a finished step is not repeated', async () => {
  const ran: string[] = [];
  const step = (name: string, isDone: boolean): Step<undefined> => ({
    name,
    isDone: async () => isDone,
    run: async () => {
      ran.push(name);
      return name === 'third' ? 'two files' : undefined;
    },
  });
  const { lines, outcome } = await run([step('first', false), step('second', true), step('third', false)]);
  expect(outcome).toBeUndefined();
  expect(ran).toEqual(['first', 'third']);
  expect(lines).toEqual(['first … done (0.6 s)', 'second … already done', 'third … done (0.6 s): two files']);
});

test('a failed step ends the run with what is wrong, why and a fix', async () => {
  const { lines, outcome } = await run([
    { name: 'engines', run: () => Promise.reject(new Error('no such image')) },
    { name: 'never', run: () => Promise.reject(new Error('reached')) },
  ]);
  expect(lines).toEqual(['engines … failed']);
  expect(outcome).toBeInstanceOf(Fault);
  expect((outcome as Fault).text).toBe(
    'The step "engines" failed.\n  no such image\nFIX: remove the cause, then run the same command again: finished steps are not repeated',
  );
});

test('a step that knows its fix keeps it', async () => {
  const fault = new Fault('Docker is away.', 'systemctl start docker');
  const { outcome } = await run([{ name: 'docker', run: () => Promise.reject(fault) }]);
  expect(outcome).toBe(fault);
});
