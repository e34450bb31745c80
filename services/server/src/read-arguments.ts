import { parseArgs } from 'node:util';
import type { Command } from './commands/command.ts';
import type { ServerRole } from './roles/server-role.ts';

export type Invocation =
  | { kind: 'serve'; roles: readonly ServerRole[]; file: string | undefined }
  | { kind: 'command'; command: Command; file: string | undefined; arguments: readonly string[] }
  | { kind: 'help'; problem?: string };

export function readArguments(
  argv: readonly string[],
  roles: readonly ServerRole[],
  commands: readonly Command[],
): Invocation {
  const [first] = argv;
  if (first !== undefined && !first.startsWith('-')) {
    const command = commands.find(({ name }) => name === first);
    return command ? readCommand(command, argv.slice(1)) : { kind: 'help', problem: `There is no command "${first}".` };
  }
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: { role: { type: 'string' }, config: { type: 'string' }, help: { type: 'boolean' } },
    });
    if (values.help) return { kind: 'help' };
    if (values.role === undefined) return { kind: 'help', problem: 'Say which roles to run: --role.' };
    return chooseRoles(values.role, roles, values.config);
  } catch (error) {
    return { kind: 'help', problem: error instanceof Error ? error.message : 'The arguments cannot be read.' };
  }
}

/** All arguments but --config belong to the command. */
function readCommand(command: Command, argv: readonly string[]): Invocation {
  const at = argv.indexOf('--config');
  if (at === -1) return { kind: 'command', command, file: undefined, arguments: argv };
  const file = argv[at + 1];
  if (file === undefined) return { kind: 'help', problem: '--config needs the path of a file.' };
  return { kind: 'command', command, file, arguments: argv.toSpliced(at, 2) };
}

function chooseRoles(wanted: string, roles: readonly ServerRole[], file: string | undefined): Invocation {
  const names = wanted === 'all' ? roles.map(({ name }) => name) : wanted.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !roles.some((role) => role.name === name));
  if (unknown !== undefined) return { kind: 'help', problem: `There is no role "${unknown}".` };
  return { kind: 'serve', roles: roles.filter(({ name }) => names.includes(name)), file };
}

export function usageText(roles: readonly ServerRole[], commands: readonly Command[]): string {
  return [
    'Usage: berth-server --role ROLES [--config FILE]',
    '       berth-server COMMAND [--config FILE] [FLAGS]',
    '',
    `Roles: all, or a list of ${roles.map(({ name }) => name).join(',')}`,
    'Commands:',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(18)}${summary}`),
  ].join('\n');
}
