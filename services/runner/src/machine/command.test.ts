import { expect, test } from 'vitest';
import { openShell } from './command.ts';

const run = openShell();

test('what a program prints comes back as it is, and what it is given arrives', async () => {
  expect(await run('cat', [], `it's "so" $HOME \`id\` \\n\nand ends`)).toBe(`it's "so" $HOME \`id\` \\n\nand ends\n`);
  expect(await run('printf', ['%s|', "it's", '$HOME', '', 'a b'])).toBe("it's|$HOME||a b|");
});

test('one that fails says why, one that is not there what to install, and the next one is not hurt', async () => {
  await expect(run('sh', ['-c', 'echo printed; echo wrong >&2; exit 3'])).rejects.toThrow(
    'sh -c echo printed; echo wrong >&2; exit 3 failed: wrong',
  );
  await expect(run('no-such-program', [])).rejects.toThrow('no-such-program cannot be run. Install nftables');
  expect(await run('echo', ['still here'])).toBe('still here\n');
});

test('many at once run one after the other, each with its own answer', async () => {
  const answers = await Promise.all(Array.from({ length: 50 }, (_, at) => run('sh', ['-c', `cat; echo ${at}`], 'in')));
  expect(answers).toEqual(Array.from({ length: 50 }, (_, at) => `in\n${at}\n`));
});

test('a shell that is killed fails what it was doing, and another takes its place', async () => {
  await expect(run('sh', ['-c', 'kill -9 $PPID'])).rejects.toThrow('The shell ended within');
  expect(await run('echo', ['again'])).toBe('again\n');
});

test('more than a pipe holds', async () => {
  const text = 'x'.repeat(1_000_000);
  expect(await run('cat', [], text)).toBe(`${text}\n`);
});
