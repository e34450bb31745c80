// Memory of sleeping sandboxes by part: their cgroups, the cgroups of their networks, and the containerd shim of each.
import { readdir, readFile } from 'node:fs/promises';
import { bytesPerMb } from '@berth/contract/node';
import { z } from 'zod';
import { callDocker } from '../../engines/docker-api.ts';
import type { Machine } from '../../engines/fleet/machine.ts';

const Listed = z.array(z.object({ Id: z.string(), Labels: z.record(z.string(), z.string()) }));
const Inspected = z.object({ State: z.object({ Pid: z.number() }) });

export interface MemoryParts {
  readonly sandboxMb: readonly number[];
  readonly shimMb: readonly number[];
  readonly slotMb: readonly number[];
  readonly slotShimMb: readonly number[];
}

export async function memoryParts({ dockerUrl }: Machine): Promise<MemoryParts> {
  const ask = async (what: string): Promise<unknown> => JSON.parse((await callDocker(dockerUrl, what)).body.toString());
  const shims = await shimsByContainer();
  const parts: Record<keyof MemoryParts, number[]> = { sandboxMb: [], shimMb: [], slotMb: [], slotShimMb: [] };
  for (const { Id, Labels } of Listed.parse(await ask('GET /containers/json'))) {
    const { State } = Inspected.parse(await ask(`GET /containers/${Id}/json`));
    const isSandbox = Labels['berth.instance'] !== undefined;
    if (!isSandbox && Labels['berth.slot'] === undefined) continue;
    parts[isSandbox ? 'sandboxMb' : 'slotMb'].push(await groupMb(State.Pid));
    parts[isSandbox ? 'shimMb' : 'slotShimMb'].push(shims.get(Id) ?? Number.NaN);
  }
  return parts;
}

/** Memory of the cgroup without file pages that the kernel could reclaim. */
async function groupMb(pid: number): Promise<number> {
  const groups = await readFile(`/proc/${pid}/cgroup`, 'utf8');
  const [, first] = /^\d+:memory:(.*)$/m.exec(groups) ?? [];
  const [, second = ''] = /^0::(.*)$/m.exec(groups) ?? [];
  const folder = first === undefined ? `/sys/fs/cgroup${second}` : `/sys/fs/cgroup/memory${first}`;
  const stat = await readFile(`${folder}/memory.stat`, 'utf8');
  const usage = Number(
    await readFile(`${folder}/${first === undefined ? 'memory.current' : 'memory.usage_in_bytes'}`, 'utf8'),
  );
  const [, inactive = '0'] = /^(?:total_)?inactive_file (\d+)$/m.exec(stat) ?? [];
  return (usage - Number(inactive)) / bytesPerMb;
}

/** Private memory of the containerd shim of each container. */
async function shimsByContainer(): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const words = (await readFile(`/proc/${entry}/cmdline`, 'utf8').catch(() => '')).split('\0');
    const id = words[words.indexOf('-id') + 1];
    if (!words[0]?.includes('containerd-shim') || id === undefined || !words.includes('-id')) continue;
    const rollup = await readFile(`/proc/${entry}/smaps_rollup`, 'utf8').catch(() => '');
    const kb = [...rollup.matchAll(/^Private_(?:Clean|Dirty):\s+(\d+)/gm)].reduce(
      (sum, [, each]) => sum + Number(each),
      0,
    );
    found.set(id, kb / 1024);
  }
  return found;
}
