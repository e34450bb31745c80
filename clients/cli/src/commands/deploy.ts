import type { Command } from '../command.ts';
import { UsageError } from '../exit-codes.ts';
import { variablesIn, wholeNumber } from '../read-values.ts';

export const deploy: Command = {
  name: 'deploy',
  about: 'Deploys an agent from an image, and waits until it serves',
  arguments: [{ name: 'name' }],
  options: {
    image: { about: 'the image', value: 'image' },
    memory: { about: 'MB of one instance', value: 'MB' },
    env: { about: 'a variable; may be repeated', value: 'NAME=value', short: 'e', isRepeated: true },
    public: { about: 'open to everyone' },
  },
  examples: ['berth deploy helper --image agent/helper:1 --env MODE=fast'],
  async run({ given, berth, printer, signal }) {
    const image = given.text('image');
    if (image === undefined) throw new UsageError('Give the image with --image.');
    const agent = await (await berth()).agents.deploy({
      ...{ name: given.argument('name'), image, memory: wholeNumber(given.text('memory'), 'memory') },
      ...{ env: variablesIn(given.list('env')), public: given.flag('public') || undefined },
      ...{ signal, onEvent: (message) => printer.note(message) },
    });
    printer.one(agent, [
      { title: 'name', of: ({ metadata }) => metadata.name },
      { title: 'status', of: ({ status }) => status },
      { title: 'address', of: ({ metadata }) => metadata.url },
    ]);
  },
};
