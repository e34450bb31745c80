// Counts container starts by asking the engine for its events: a record that is independent of our own.
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { callDocker } from '../../engines/docker-api.ts';

const Event = z.object({
  timeNano: z.number(),
  Actor: z.object({ ID: z.string(), Attributes: z.record(z.string(), z.string()) }),
});

export interface ContainerStarts {
  /** Number of starts of the instance's containers. */
  startsOf(instance: string): number;
  /** Starts of all instances. */
  total(): number;
  /** Resolves once everything that has happened until now is counted. */
  catchUp(): Promise<void>;
  stop(): Promise<void>;
}

/** The engine remembers its last 256 events, so they are read every half second. */
const pollMs = 500;

export function countContainerStarts(dockerUrl: string): ContainerStarts {
  const starts = new Map<string, Set<string>>();
  let isStopping = false;
  let sinceSeconds = Math.floor(Date.now() / 1_000);
  const filters = encodeURIComponent(
    JSON.stringify({ type: ['container'], event: ['start'], label: ['berth.instance'] }),
  );
  const read = async (): Promise<void> => {
    const until = Math.floor(Date.now() / 1_000);
    const { body } = await callDocker(dockerUrl, `GET /events?since=${sinceSeconds}&until=${until}&filters=${filters}`);
    for (const line of body.toString().split('\n').filter(Boolean)) {
      const { timeNano, Actor } = Event.parse(JSON.parse(line));
      const instance = Actor.Attributes['berth.instance'] ?? '';
      starts.set(instance, (starts.get(instance) ?? new Set()).add(`${Actor.ID} ${timeNano}`));
    }
    // The second that has just begun is read again; a start seen twice is counted once.
    sinceSeconds = until - 1;
  };
  const watching = (async () => {
    while (!isStopping) {
      await read();
      await sleep(pollMs);
    }
  })();
  return {
    startsOf: (instance) => starts.get(instance)?.size ?? 0,
    total: () => [...starts.values()].reduce((sum, each) => sum + each.size, 0),
    async catchUp() {
      const nowSeconds = Math.floor(Date.now() / 1_000);
      while (sinceSeconds < nowSeconds) await sleep(pollMs);
    },
    async stop() {
      isStopping = true;
      await watching;
    },
  };
}
