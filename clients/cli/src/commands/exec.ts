import type { Command } from '../command.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import { variablesIn, wholeNumber } from '../read-values.ts';
import { shellWord } from '../shell-word.ts';

export const exec: Command = {
  name: 'exec',
  about: 'Runs a command in a sandbox; its exit code is that of this program',
  arguments: [{ name: 'sandbox' }, { name: 'command', isRest: true }],
  options: {
    cwd: { about: 'folder in which it runs', value: 'path' },
    env: { about: 'a variable; may be repeated', value: 'NAME=value', short: 'e', isRepeated: true },
    timeout: { about: 'kills it after this time', value: 'seconds' },
    input: { about: 'passes on the input of this program', short: 'i' },
  },
  examples: ['berth exec demo -- npm test', `berth exec demo -- sh -c 'ls | wc -l'`],
  async run({ given, berth, printer, signal }) {
    const words = given.rest();
    if (words.length === 0) throw new UsageError('Which command? Write it after --.');
    const seconds = wholeNumber(given.text('timeout'), 'number of seconds');
    const box = await (await berth()).sandboxes.get(given.argument('sandbox'));
    const input = given.flag('input') ? await wholeInput() : undefined;
    let isTimedOut = false;
    const timer = seconds === undefined ? undefined : setTimeout(() => (isTimedOut = true), seconds * 1_000);
    try {
      const { exitCode } = await box.exec(words.map(shellWord).join(' '), {
        ...{ cwd: given.text('cwd'), env: variablesIn(given.list('env')), signal, input },
        killAfterMs: seconds === undefined ? undefined : seconds * 1_000,
        onStdout: (text) => printer.raw(text),
        onStderr: (text) => printer.raw(text, 'err'),
      });
      return isTimedOut ? exitCodes.timeout : exitCode;
    } finally {
      clearTimeout(timer);
    }
  },
};

async function wholeInput(): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of process.stdin) pieces.push(piece);
  return Buffer.concat(pieces);
}
