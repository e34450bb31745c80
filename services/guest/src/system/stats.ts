import { statfs } from 'node:fs/promises';
import type { StatsResponse } from '@berth/contract/guest';
import { answerJson } from '../http/answer.ts';
import type { Call } from '../http/call.ts';
import { readUsage } from './usage.ts';

export async function stats(call: Call): Promise<void> {
  const { workingDirectory } = call.guest.settings;
  const [usage, disk] = await Promise.all([readUsage('/'), diskOf(workingDirectory)]);
  const answer: StatsResponse = { ...usage, disk };
  answerJson(call, answer);
}

async function diskOf(path: string): Promise<StatsResponse['disk']> {
  try {
    const { bsize, blocks, bfree, bavail } = await statfs(path);
    // `freeBytes` is what an ordinary account may still write: the file system keeps a reserve for root.
    return { path, totalBytes: blocks * bsize, usedBytes: (blocks - bfree) * bsize, freeBytes: bavail * bsize };
  } catch {
    return { path, totalBytes: null, usedBytes: null, freeBytes: null };
  }
}
