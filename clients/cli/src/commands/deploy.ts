import type { Command } from '../command.ts';
import { UsageError } from '../exit-codes.ts';

/** `NAME=value`. */
export function variablesIn(list: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    list.map((text): [string, string] => {
      const at = text.indexOf('=');
      if (at <= 0) throw new UsageError(`"${text}" is no variable. Write NAME=value.`);
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}

export function wholeNumber(text: string | undefined, what: string): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new UsageError(`"${text}" is no ${what}: it is a whole number.`);
}

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

export const runJob: Command = {
  name: 'run',
  about: 'Runs a job, and waits for its end',
  arguments: [{ name: 'job' }],
  options: {
    task: { about: 'arguments of one task, as JSON; may be repeated', value: 'JSON', short: 't', isRepeated: true },
  },
  examples: [`berth run report -t '{"city": "Oslo"}' -t '{"city": "Turin"}'`],
  async run({ given, berth, printer, signal }) {
    const tasks = given.list('task').map((text): Record<string, unknown> => {
      const task: unknown = JSON.parse(text);
      if (typeof task === 'object' && task !== null && !Array.isArray(task)) return { ...task };
      throw new UsageError(`"${text}" is no JSON object.`);
    });
    const execution = await (await berth()).jobs.run(given.argument('job'), tasks.length === 0 ? [{}] : tasks, {
      signal,
      onProgress: ({ status, stats }) =>
        printer.note(
          `${status}: ${stats?.success ?? 0} of ${stats?.total ?? 0} tasks succeeded, ${stats?.failure ?? 0} failed`,
        ),
    });
    printer.one(execution, [
      { title: 'execution', of: ({ metadata }) => metadata?.id },
      { title: 'status', of: ({ status }) => status },
      { title: 'succeeded', of: ({ stats }) => stats?.success },
      { title: 'failed', of: ({ stats }) => stats?.failure },
    ]);
    return execution.status === 'succeeded' ? 0 : 1;
  },
};
