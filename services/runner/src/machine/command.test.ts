import { expect, test } from 'vitest';
import { openShell } from './command.ts';

const run = openShell();

test('output of a program is returned unchanged, and its input arrives', async () => {
  expect(await run('cat', [], `it's "so" $HOME \`id\` \\n\nand ends`)).toBe(`it's "so" $HOME \`id\` \\n\nand ends\n`);
  expect(await run('printf', ['%s|', "it's", '$HOME', '', 'a b'])).toBe("it's|$HOME||a b|");
});

test('a failed program gives its error, a missing one what to install, and the next program runs', async () => {
  await expect(run('sh', ['-c', 'echo printed; echo wrong >&2; exit 3'])).rejects.toThrow(
    'sh -c echo printed; echo wrong >&2; exit 3 failed: wrong',
  );
  await expect(run('no-such-program', [])).rejects.toThrow('no-such-program cannot be run. Install nftables');
  expect(await run('echo', ['still here'])).toBe('still here\n');
});

test('concurrent calls run one after the other, each with its own output', async () => {
  const answers = await Promise.all(Array.from({ length: 50 }, (_, at) => run('sh', ['-c', `cat; echo ${at}`], 'in')));
  expect(answers).toEqual(Array.from({ length: 50 }, (_, at) => `in\n${at}\n`));
});

test('a killed shell fails its command, and the next command gets a new shell', async () => {
  await expect(run('sh', ['-c', 'kill -9 $PPID'])).rejects.toThrow('The shell ended within');
  expect(await run('echo', ['again'])).toBe('again\n');
});

test('input and output may exceed the size of a pipe', async () => {
  const text = 'x'.repeat(1_000_000);
  expect(await run('cat', [], text)).toBe(`${text}\n`);
});
