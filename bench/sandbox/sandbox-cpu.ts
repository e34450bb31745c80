import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { callDocker } from '../../engines/docker-api.ts';
import type { Machine } from '../../engines/fleet/machine.ts';

const Listed = z.array(z.object({ Id: z.string() }));
const Inspected = z.object({ State: z.object({ Pid: z.number() }) });

/** CPU time that all sandboxes of the machine have used so far, including gVisor's own. */
export async function sandboxCpuMs({ dockerUrl }: Machine): Promise<number> {
  const ask = async (what: string): Promise<unknown> => JSON.parse((await callDocker(dockerUrl, what)).body.toString());
  const filters = encodeURIComponent(JSON.stringify({ label: ['berth.instance'] }));
  let sum = 0;
  for (const { Id } of Listed.parse(await ask(`GET /containers/json?filters=${filters}`))) {
    const { State } = Inspected.parse(await ask(`GET /containers/${Id}/json`));
    sum += await groupCpuMs(State.Pid);
  }
  return sum;
}

async function groupCpuMs(pid: number): Promise<number> {
  const groups = await readFile(`/proc/${pid}/cgroup`, 'utf8');
  const [, first] = /^\d+:[^:]*\bcpuacct\b[^:]*:(.*)$/m.exec(groups) ?? [];
  if (first !== undefined) return Number(await readFile(`/sys/fs/cgroup/cpuacct${first}/cpuacct.usage`, 'utf8')) / 1e6;
  const [, second = ''] = /^0::(.*)$/m.exec(groups) ?? [];
  const stat = await readFile(`/sys/fs/cgroup${second}/cpu.stat`, 'utf8');
  return Number(/^usage_usec (\d+)$/m.exec(stat)?.[1]) / 1e3;
}
