// Attack: an agent asks for 10 000 instances, again and again. Each time as many as the account's
// limit are started and removed.
import { setTimeout as sleep } from 'node:timers/promises';
import { agent, gone, instancesOf } from '../../../tests/harness/workloads.ts';
import type { Attack } from '../attack.ts';
import type { TwoAccounts } from '../two-accounts.ts';

const path = '/agents/many';
const limit = /account limit of \d+ for instances/;

export const manyInstances: Attack = {
  name: 'minScale 10 000',
  async begin(accounts) {
    const stop = new AbortController();
    const told = new Set<string>();
    const counts = { rounds: 0, mostInstances: 0 };
    const looping = (async () => {
      while (!stop.signal.aborted) await round(accounts, { stop: stop.signal, told, counts });
    })();
    looping.catch(() => stop.abort());
    return {
      pids: [],
      async end() {
        stop.abort();
        await looping;
        return { refusals: [...told], expected: [limit], detail: counts };
      },
    };
  },
};

interface Round {
  readonly stop: AbortSignal;
  readonly told: Set<string>;
  readonly counts: { rounds: number; mostInstances: number };
}

async function round({ fleet, greedy: { client } }: TwoAccounts, { stop, told, counts }: Round): Promise<void> {
  const { status, text } = await client.post(
    '/agents',
    agent('many', { generation: 'mk2', minScale: 10_000, maxScale: 10_000 }),
  );
  if (status !== 200) throw new Error(`the agent was refused: ${text}`);
  for (let isFull = false; !isFull; await sleep(500)) {
    const live = await instancesOf(fleet, 'many');
    counts.mostInstances = Math.max(counts.mostInstances, live.length);
    const messages = (await client.get(path)).body.events.map(({ message }: { message?: string }) => message ?? '');
    const named = messages.filter((message: string) => message.includes('limit'));
    for (const message of named) told.add(message);
    // Without a named limit the loop would go on until the machine is full.
    isFull = named.length > 0 && (stop.aborted || live.every(({ state }) => state === 'ready'));
    if (stop.aborted && named.length === 0 && live.length >= 200) isFull = true;
  }
  counts.rounds += 1;
  await client.delete(path);
  await gone(client, path, 120_000);
}
