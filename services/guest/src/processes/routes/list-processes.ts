import { setImmediate } from 'node:timers/promises';
import type { Call } from '../../http/call.ts';
import { processManagerOf } from '../process-manager.ts';
import { sendChunk } from './send-chunk.ts';

/** Sends one process after the other: hundreds of them with the ends of their output are too much to hold at once. */
export async function listProcesses({ guest, response }: Call): Promise<void> {
  const processes = (await processManagerOf(guest)).list();
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
  let separator = '[';
  for (const process of processes) {
    // Logs are read synchronously, so other requests get a turn between two processes.
    await setImmediate();
    await sendChunk(response, separator + JSON.stringify(await process.describe('listed')));
    if (response.destroyed) return;
    separator = ',';
  }
  response.end(processes.length === 0 ? '[]' : ']');
}
