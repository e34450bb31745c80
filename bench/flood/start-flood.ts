import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import type { Flood } from './flood-client.ts';

const program = join(import.meta.dirname, 'flood-client.ts');

const Told = z.object({
  sent: z.number(),
  late: z.number(),
  opened: z.number(),
  cpuMs: z.number(),
  statuses: z.record(z.string(), z.number()),
});

/** A process that has built all its requests; `run` makes it send them. */
export async function prepareFlood(flood: Flood): Promise<Disposable & { run(): Promise<z.infer<typeof Told>> }> {
  const child = spawn(process.execPath, [program, JSON.stringify(flood)], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return {
    async run() {
      child.stdin.write('\n');
      return Told.parse(JSON.parse(await text(child.stdout)));
    },
    [Symbol.dispose]: () => void child.kill(),
  };
}
