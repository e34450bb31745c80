import { setTimeout as sleep } from 'node:timers/promises';
import type { TwoAccounts } from './two-accounts.ts';

/** Notes about this limit that the platform wrote into the greedy agent's output. They are stored with a delay. */
export async function notesInOutput(
  { greedy: { client } }: TwoAccounts,
  limit: RegExp,
): Promise<{ notes: string[]; count: number }> {
  for (let attempt = 1; ; attempt += 1) {
    const end = new Date(Date.now() + 60_000).toISOString().slice(0, 19);
    const { body } = await client.get('/observability/logs', {
      query: { resourceType: 'agents', workloadIds: 'greedy', limit: 1_000, search: 'runner.', end },
    });
    const { logs = [], totalCount = 0 } = body.greedy ?? {};
    const notes = logs
      .map(({ message }: { message: string }) => message)
      .filter((message: string) => limit.test(message));
    if (notes.length > 0 || attempt === 40)
      return { notes: [...new Set<string>(notes)].slice(0, 3), count: totalCount };
    await sleep(500);
  }
}
