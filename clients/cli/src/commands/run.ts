import type { Command } from '../command.ts';
import { UsageError } from '../exit-codes.ts';

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
