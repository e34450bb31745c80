// RSS of the processes of a fleet, from the kernel.
import { readFile } from 'node:fs/promises';
import type { Fleet } from '../../engines/fleet/fleet.ts';
import { residentMb } from '../../tests/harness/resident-mb.ts';

export type Memory = { readonly gateways: number; readonly runners: number };

/** In KiB. A runner's ingress processes are its children. */
export async function memoryOf({ gateways, machines }: Fleet): Promise<Memory> {
  const runners = machines.map(({ runner }) => runner.pid);
  const ingresses = (await Promise.all(runners.map(childrenOf))).flat();
  return {
    gateways: await rssKib(gateways.map(({ process }) => process.pid)),
    runners: await rssKib([...runners, ...ingresses]),
  };
}

export const together = ({ gateways, runners }: Memory): number => gateways + runners;

export const grown = (from: Memory, to: Memory): Memory => ({
  gateways: to.gateways - from.gateways,
  runners: to.runners - from.runners,
});

async function rssKib(pids: readonly number[]): Promise<number> {
  const each = pids.map((pid) => residentMb(pid).catch(() => 0));
  return (await Promise.all(each)).reduce((sum, mb) => sum + mb * 1024, 0);
}

async function childrenOf(pid: number): Promise<number[]> {
  const listed = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return listed.split(' ').filter(Boolean).map(Number);
}
