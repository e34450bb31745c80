// The reference page of the command line, from the data of its commands.
import type { Command } from '../../../clients/cli/src/command.ts';
import { optionWords, usageOf } from '../../../clients/cli/src/help.ts';
import { sharedOptions } from '../../../clients/cli/src/parse.ts';
import { headOf } from './reference-page.ts';

type Options = NonNullable<Command['options']>;

export function cliPage(commands: readonly Command[], exitCodes: readonly (readonly [string, string])[]): string {
  const codes = exitCodes.map(([code, meaning]) => `| ${code} | ${meaning} |`);
  return [
    headOf('Command line reference'),
    '[Command line](../guides/cli.md) is the guide. `BERTH_URL`, `BERTH_KEY` and `BERTH_WORKSPACE` are used instead of a login.\n',
    '## Options of every command\n',
    `${optionTable(sharedOptions)}\n`,
    '## Exit codes\n',
    `| Code | Meaning |\n|---|---|\n${codes.join('\n')}\n`,
    '## Commands\n',
    ...commands.map(section),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
}

const optionTable = (options: Options): string =>
  ['| Option | Meaning |', '|---|---|', ...Object.entries(options).map(optionRow)].join('\n');

function optionRow(option: [string, Options[string]]): string {
  const [words, about] = optionWords(option);
  return `| \`${words}\` | ${about}${option[1].isRepeated && !about.includes('repeated') ? '; may be repeated' : ''} |`;
}

const section = (command: Command): string => {
  const { name, about, options = {}, examples = [] } = command;
  return [
    `### ${name}\n`,
    `${about}.\n`,
    `\`\`\`\n${usageOf(command)}\n\`\`\`\n`,
    ...(Object.keys(options).length === 0 ? [] : [`${optionTable(options)}\n`]),
    ...(examples.length === 0 ? [] : [`\`\`\`\n${examples.join('\n')}\n\`\`\`\n`]),
  ].join('\n');
};
