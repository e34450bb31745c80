import type { Command } from '../command.ts';
import { UsageError } from '../exit-codes.ts';
import { wholeNumber } from '../read-values.ts';
import { kindOf } from '../resources.ts';

const loggedKinds = ['agents', 'functions', 'jobs', 'sandboxes'] as const;

export const logs: Command = {
  name: 'logs',
  about: 'Shows the newest output of a workload, oldest line first',
  arguments: [{ name: 'kind' }, { name: 'name' }],
  options: {
    lines: { about: 'number of lines; 100 where left out', value: 'number', short: 'n' },
    search: { about: 'lines that hold a text', value: 'text' },
  },
  examples: ['berth logs agent helper -n 20'],
  async run({ given, berth, printer }) {
    const kind = kindOf(given.argument('kind'));
    const resourceType = loggedKinds.find((each) => each === kind.path);
    if (resourceType === undefined)
      throw new UsageError(`${kind.title}: this kind has no output. Known are: ${loggedKinds.join(', ')}.`);
    const search = given.text('search');
    const byWorkload = await (await berth()).request('listLogs', {
      query: {
        ...{ resourceType, workloadIds: given.argument('name') },
        limit: wholeNumber(given.text('lines'), 'number of lines') ?? 100,
        ...(search === undefined ? {} : { search }),
      },
    });
    const lines = Object.values(byWorkload).flatMap(({ logs: newestFirst = [] }) => newestFirst.toReversed());
    printer.list(lines, [
      { title: 'time', of: ({ timestamp }) => timestamp.slice(0, 23) },
      { title: 'line', of: ({ message }) => message },
    ]);
  },
};
