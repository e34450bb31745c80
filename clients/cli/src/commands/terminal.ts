import type { Command } from '../command.ts';
import { UsageError } from '../exit-codes.ts';

export const terminal: Command = {
  name: 'terminal',
  about: 'Opens a terminal in a sandbox',
  arguments: [{ name: 'sandbox' }],
  options: { session: { about: 'continues, or names, a session', value: 'id' } },
  async run({ given, berth, printer }) {
    const { stdin, stdout } = process;
    if (!stdin.isTTY || !stdout.isTTY) throw new UsageError('This is no terminal. Use berth exec.');
    const box = await (await berth()).sandboxes.get(given.argument('sandbox'));
    const open = await box.terminal({
      ...{ sessionId: given.text('session'), cols: stdout.columns, rows: stdout.rows },
      onOutput: (text) => printer.raw(text),
    });
    const type = (bytes: Buffer) => open.write(bytes.toString('utf8'));
    const resize = () => open.resize(stdout.columns, stdout.rows);
    stdin.setRawMode(true).on('data', type);
    stdout.on('resize', resize);
    try {
      await open.closed;
    } finally {
      stdin.setRawMode(false).off('data', type).pause();
      stdout.off('resize', resize);
    }
  },
};
