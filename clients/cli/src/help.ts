// Help texts, made from the data of the commands.
import type { Argument, Command, Option } from './command.ts';
import { sharedOptions } from './parse.ts';

const columns = (rows: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  return rows.map(([name, about]) => `  ${name.padEnd(width)}${about}`).join('\n');
};

const word = ({ name, isOptional, isRest }: Argument): string => {
  const text = isRest ? `${name}...` : name;
  return isOptional ? `[${text}]` : `<${text}>`;
};

/** An option as help texts show it, and what it is about. */
export const optionWords = ([name, { value, short, about }]: [string, Option]): [string, string] => [
  `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` <${value}>`}`,
  about,
];

export const usageOf = ({ name, arguments: words = [] }: Command): string =>
  ['berth', name, ...words.map(word), '[options]'].join(' ');

export function helpOf(command: Command): string {
  const { about, options = {}, examples = [] } = command;
  return [
    `${about}\n\nUsage: ${usageOf(command)}\n`,
    `Options:\n${columns(Object.entries({ ...options, ...sharedOptions }).map(optionWords))}\n`,
    ...(examples.length === 0 ? [] : [`Examples:\n${examples.map((line) => `  ${line}`).join('\n')}\n`]),
  ].join('\n');
}

export const overview = (commands: readonly Command[]): string =>
  [
    'berth: sandboxes, agents and jobs on your own machines\n\nUsage: berth <command> [options]\n',
    `Commands:\n${columns(commands.map(({ name, about }) => [name, about]))}\n`,
    'berth <command> --help tells more, and berth --version shows the version.',
    'BERTH_URL, BERTH_KEY and BERTH_WORKSPACE are used before a login.\n',
  ].join('\n');
