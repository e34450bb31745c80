import { createLogger } from '@berth/telemetry';
import { commands } from '../src/commands/registry.ts';

/** Runs an operator command with these sections of the configuration. Returns the lines that it prints. */
export async function runCommand(name: string, config: Record<string, unknown>, ...argv: string[]): Promise<string[]> {
  const command = commands.find((candidate) => candidate.name === name);
  const lines: string[] = [];
  await command?.run(config, {
    logger: createLogger({ command: name }, { level: 'error' }),
    arguments: argv,
    print: (line) => void lines.push(line),
    progress: () => {},
  });
  return lines;
}
