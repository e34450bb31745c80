import { readFile } from 'node:fs/promises';

/** Resident memory of a process in MiB, from the kernel. Rejects once the process has ended. */
export async function residentMb(pid: number): Promise<number> {
  const [, kib] = /VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  if (kib === undefined) throw new Error(`Process ${pid} has ended: it has no memory.`);
  return Number(kib) / 1024;
}
