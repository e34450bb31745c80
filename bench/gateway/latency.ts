import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { Machine } from '../../engines/fleet/machine.ts';
import type { Target } from './load.ts';
import type { Paced } from './paced-client.ts';
import { lastBytes } from './static-image.ts';

const program = join(import.meta.dirname, 'paced-client.ts');
const Latency = z.object({ p50: z.number(), p99: z.number(), requests: z.number() });
export type Latency = z.infer<typeof Latency>;

const run = promisify(execFile);

/** Milliseconds from a request to the end of its answer at a rate of `perSecond`. */
export async function latency(
  { netns }: Machine,
  { urls, key }: Target,
  perSecond: number,
  seconds: number,
): Promise<Latency> {
  const paced: Paced = { urls: [...urls], key, perSecond, seconds, lastBytes };
  const command = [`--net=${netns}`, '--', process.execPath, program, JSON.stringify(paced)];
  return Latency.parse(JSON.parse((await run('nsenter', command)).stdout));
}
