import { environment } from '@berth/telemetry';
import { runServerCommand } from '../../engines/server-process.ts';

type Env = Readonly<Record<string, string>>;

/** Variables of the developer's shell, with these on top. */
export const inherited = (env: Env): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ ...environment, ...env }).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );

/** Settings that the developer's shell may override. */
export const unlessSet = (env: Env): Env =>
  Object.fromEntries(Object.entries(env).filter(([name]) => environment[name] === undefined));

/** Runs a command of the server to its end and returns its output. */
export async function runCommand(args: readonly string[], env: Env): Promise<string> {
  const { code, output, errors } = await runServerCommand(args, inherited(env));
  process.stderr.write(errors);
  if (code !== 0) throw new Error(`"berth-server ${args.join(' ')}" failed:\n${output}`);
  return output;
}
