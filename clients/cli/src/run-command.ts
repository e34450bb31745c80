// From the words of the command line to an exit code.
import { connect } from './connect.ts';
import { exitCodeOf, exitCodes, UsageError } from './exit-codes.ts';
import { helpOf, overview, usageOf } from './help.ts';
import { Printer, type Streams } from './output/printer.ts';
import { parse } from './parse.ts';
import { commands } from './registry.ts';
import { version } from './version.ts';

export async function runCommand(words: readonly string[], streams: Streams, signal: AbortSignal): Promise<number> {
  const [name, ...rest] = words;
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    streams.out(overview(commands));
    return name === undefined ? exitCodes.usage : 0;
  }
  if (name === '--version') {
    streams.out(`${version}\n`);
    return 0;
  }
  const command = commands.find((each) => each.name === name);
  try {
    if (command === undefined) throw new UsageError(`"${name}" is no command. berth help lists them.`);
    const given = parse(command, rest);
    if (given.flag('help')) {
      streams.out(helpOf(command));
      return 0;
    }
    const printer = new Printer(given.text('output'), streams);
    const chosen = { deployment: given.text('deployment'), workspace: given.text('workspace') };
    return (await command.run({ given, printer, signal, berth: async () => connect(chosen) })) ?? 0;
  } catch (error) {
    if (signal.aborted) return exitCodes.interrupted;
    streams.err(`${error instanceof Error ? error.message : String(error)}\n`);
    if (error instanceof UsageError && command !== undefined) streams.err(`Usage: ${usageOf(command)}\n`);
    return exitCodeOf(error);
  }
}
