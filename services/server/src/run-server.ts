import { ConfigError, type ConfigSources, createLogger, flushLogs } from '@berth/telemetry';
import type { Command } from './commands/command.ts';
import { Fault } from './operate/machine/fault.ts';
import { type Invocation, readArguments, usageText } from './read-arguments.ts';
import type { ServerRole } from './roles/server-role.ts';
import { serve } from './serve.ts';
import { loadServerConfig } from './server-config.ts';

export type Program = {
  roles: readonly ServerRole[];
  commands: readonly Command[];
  /** File that commands read when they are given none. */
  commandSettings?: string | undefined;
};

/** Resolves with the exit code. */
export async function runServer(program: Program, argv: readonly string[], env: ConfigSources['env']): Promise<number> {
  const invocation = readArguments(argv, program.roles, program.commands);
  if (invocation.kind === 'help') return help(program, invocation.problem);
  try {
    return await run(program, invocation, env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    return 1;
  } finally {
    // The caller exits next, and log lines are buffered.
    flushLogs();
  }
}

async function run(
  program: Program,
  invocation: Exclude<Invocation, { kind: 'help' }>,
  env: ConfigSources['env'],
): Promise<number> {
  if (invocation.kind === 'serve') {
    const config = loadServerConfig(invocation.roles, program, { file: invocation.file, env });
    return serve(invocation.roles, config, createLogger({ role: 'server' }, config.log));
  }
  const { command } = invocation;
  // A command that reads no section also has to run where the file is broken.
  const needsFile = Object.keys(command.sections).length > 0;
  const file = invocation.file ?? (needsFile ? program.commandSettings : undefined);
  const config = loadServerConfig([command], program, { file, env });
  const logger = createLogger({ command: command.name }, config.log);
  try {
    const print = (line: string) => void process.stdout.write(`${line}\n`);
    const progress = (line: string) => void process.stderr.write(`${line}\n`);
    await command.run(config.sections, { logger, arguments: invocation.arguments, print, progress });
    return 0;
  } catch (error) {
    if (error instanceof Fault) {
      console.error(error.text);
      return 1;
    }
    logger.error({ err: error }, 'command failed');
    return 1;
  }
}

function help({ roles, commands }: Program, problem: string | undefined): number {
  if (problem === undefined) {
    console.log(usageText(roles, commands));
    return 0;
  }
  console.error(`${problem}\n\n${usageText(roles, commands)}`);
  return 2;
}
