// Cost of the guest in a sandbox, beside a bare Node HTTP server with the same runtime in the same image.
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { bytesPerMb } from '@berth/contract/guest';
import { callDocker } from '../engines/docker-api.ts';
import type { Bench } from './bench.ts';
import { type GuestHost, openGuestHost } from './guest/guest-host.ts';
import { median, quantile, rounded } from './support/statistics.ts';

const bound = { atMost: 1.4 } as const;
// Idle time before the memory of either is read.
const idleMs = 3_000;

type Sample = { startMs: number; memoryMb: number };

export const guest: Bench = {
  name: 'guest',
  about: 'start to first answer and idle cgroup memory of a sandbox / a bare Node HTTP server in the same image',
  async *run({ full }) {
    const rounds = full ? 15 : 5;
    await using host = await openGuestHost();
    for (const runtime of ['runc', 'runsc'] as const) {
      const bare: Sample[] = [];
      const ours: Sample[] = [];
      // The first round is not counted, because the runtime's files are read from disk in it.
      for (let round = 0; round <= rounds; round += 1) {
        const pair = { bare: await sample(host, runtime, 'bare'), ours: await sample(host, runtime, 'guest') };
        if (round === 0) continue;
        bare.push(pair.bare);
        ours.push(pair.ours);
      }
      const figure = (samples: readonly Sample[], key: keyof Sample) => median(samples.map((each) => each[key]));
      for (const [key, unit] of [
        ['startMs', 'ms'],
        ['memoryMb', 'MiB'],
      ] as const) {
        const name = key === 'startMs' ? 'start to first answer' : 'idle cgroup memory';
        const detail = {
          p95: rounded(
            quantile(
              ours.map((each) => each[key]),
              0.95,
            ),
          ),
        };
        yield { name: `${runtime}: ${name}, bare Node`, value: figure(bare, key), unit };
        yield { name: `${runtime}: ${name}, guest`, value: figure(ours, key), unit, detail };
        yield {
          name: `${runtime}: ${name}, guest / bare`,
          value: figure(ours, key) / figure(bare, key),
          unit: 'x',
          bound: bound,
        };
      }
    }
  },
};

async function sample(host: GuestHost, runtime: 'runc' | 'runsc', what: 'bare' | 'guest'): Promise<Sample> {
  const id = await host.create(runtime, what);
  try {
    const startedAt = performance.now();
    await callDocker(host.url, `POST /containers/${id}/start`);
    const pid = await host.firstAnswer(id);
    const startMs = performance.now() - startedAt;
    await sleep(idleMs);
    return { startMs, memoryMb: await memoryMb(pid) };
  } finally {
    await callDocker(host.url, `DELETE /containers/${id}?force=1`);
  }
}

/** Memory that the kernel charges to the container, without file pages that it would reclaim at once. */
async function memoryMb(pid: number): Promise<number> {
  const own = await readFile(`/proc/${pid}/cgroup`, 'utf8');
  const [, first] = /^\d+:memory:(.+)$/m.exec(own) ?? [];
  const [, second = ''] = /^0::(.+)$/m.exec(own) ?? [];
  const folder = first === undefined ? `/sys/fs/cgroup${second}` : `/sys/fs/cgroup/memory${first}`;
  const usage = await readFile(`${folder}/memory.${first === undefined ? 'current' : 'usage_in_bytes'}`, 'utf8');
  const stat = await readFile(`${folder}/memory.stat`, 'utf8');
  const [, inactive = '0'] = /^(?:total_)?inactive_file (\d+)$/m.exec(stat) ?? [];
  return (Number(usage) - Number(inactive)) / bytesPerMb;
}
