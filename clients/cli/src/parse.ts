// Reads the words of a command. Pure.
import { parseArgs } from 'node:util';
import type { Command, Given, Option } from './command.ts';
import { UsageError } from './exit-codes.ts';

/** Options of every command. */
export const sharedOptions: Readonly<Record<string, Option>> = {
  output: { about: 'table, json or yaml', value: 'form', short: 'o' },
  deployment: { about: 'a deployment of an earlier login', value: 'name', short: 'd' },
  workspace: { about: 'the workspace to work in', value: 'name', short: 'w' },
  help: { about: 'shows this text', short: 'h' },
};

export function parse(command: Command, words: readonly string[]): Given {
  const options = { ...sharedOptions, ...command.options };
  const { values, positionals } = parsed(options, words);
  const known = command.arguments ?? [];
  const fixed = known.filter(({ isRest }) => !isRest);
  if (positionals.length > fixed.length && fixed.length === known.length)
    throw new UsageError(`"${positionals[fixed.length]}" is one word too many.`);
  const given = (name: string) => positionals[fixed.findIndex((each) => each.name === name)];
  return {
    text(name) {
      const value = values[name];
      return typeof value === 'string' ? value : undefined;
    },
    list(name) {
      const value = values[name];
      return Array.isArray(value) ? value.map(String) : [];
    },
    flag: (name) => values[name] === true,
    optional: given,
    argument(name) {
      const value = given(name);
      if (value === undefined) throw new UsageError(`<${name}> is missing.`);
      return value;
    },
    rest: () => positionals.slice(fixed.length),
  };
}

function parsed(options: Readonly<Record<string, Option>>, words: readonly string[]) {
  const config = Object.fromEntries(
    Object.entries(options).map(([name, { value, short, isRepeated }]) => [
      name,
      {
        type: value === undefined ? ('boolean' as const) : ('string' as const),
        ...(short === undefined ? {} : { short }),
        ...(isRepeated ? { multiple: true as const } : {}),
      },
    ]),
  );
  try {
    return parseArgs({ args: [...words], options: config, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
