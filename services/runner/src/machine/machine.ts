import { statfs } from 'node:fs/promises';
import { availableParallelism, freemem, hostname, totalmem } from 'node:os';
import { bytesPerMb } from '@berth/contract/node';

export const machine = {
  name: (): string =>
    hostname()
      .toLowerCase()
      .replace(/[^a-z0-9.-]/g, '-')
      .slice(0, 63)
      .replace(/^[.-]+|[.-]+$/g, '') || 'runner',
  cpus: availableParallelism,
  /** A tenth of the memory is left for the system and the runner itself. */
  offeredMemoryMb: (): number => Math.max(1, Math.floor((totalmem() * 0.9) / bytesPerMb)),
  freeMemoryMb: (): number => Math.floor(freemem() / bytesPerMb),
  async freeDiskPercent(folder: string): Promise<number> {
    const { bavail, blocks } = await statfs(folder);
    return blocks === 0 ? 100 : Math.round((bavail / blocks) * 10_000) / 100;
  },
};
