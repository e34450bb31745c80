import type { FollowedLogEntry } from 'berth-sdk';
import type { Command } from '../command.ts';
import { UsageError } from '../exit-codes.ts';
import type { Column } from '../output/printer.ts';
import { wholeNumber } from '../read-values.ts';
import { kindOf } from '../resources.ts';

const loggedKinds = ['agents', 'functions', 'jobs', 'sandboxes'] as const;

const columns: readonly Column<FollowedLogEntry>[] = [
  { title: 'time', of: ({ timestamp }) => timestamp.slice(0, 23) },
  { title: 'line', of: ({ message }) => message },
];

export const logs: Command = {
  name: 'logs',
  about: 'Shows the newest output of a workload, oldest line first',
  arguments: [{ name: 'kind' }, { name: 'name' }],
  options: {
    follow: { about: 'goes on with each line as it is written, until Ctrl-C', short: 'f' },
    lines: { about: 'number of lines to begin with; 100 where left out', value: 'number', short: 'n' },
    search: { about: 'lines that hold a text', value: 'text' },
  },
  examples: ['berth logs agent helper -n 20', 'berth logs -f sandbox demo'],
  async run({ given, berth, printer, signal }) {
    const kind = kindOf(given.argument('kind'));
    const resourceType = loggedKinds.find((each) => each === kind.path);
    if (resourceType === undefined)
      throw new UsageError(`${kind.title}: this kind has no output. Known are: ${loggedKinds.join(', ')}.`);
    const asked = {
      ...{ resourceType, workloads: [given.argument('name')], search: given.text('search'), signal },
      tail: wholeNumber(given.text('lines'), 'number of lines') ?? 100,
    };
    const output = (await berth()).logs;
    if (!given.flag('follow')) printer.list(await output.tail(asked), columns);
    else for await (const line of output.follow(asked)) printer.next(line, columns);
  },
};
