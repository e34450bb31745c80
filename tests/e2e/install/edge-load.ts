// A light load through the edge. The client repeats a read when nothing accepted the connection, when it ended before a byte of the
// answer, or when the platform says that the request was not dispatched. Everything else that is not an answer with 200 is a failure.
import { readFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PatientClient } from '../../harness/patient-client.ts';
import type { InstallBox } from './install-box.ts';

interface LoadTotals {
  readonly requests: number;
  readonly failures: readonly string[];
  readonly repeated: Readonly<Record<string, number>>;
  readonly slowestMs: number;
}

export interface EdgeLoad {
  /** Ends the load and returns what was counted. */
  stop(): Promise<LoadTotals>;
}

const pauseMs = 50;
const limitMs = 60_000;

/** One lane for each address. */
export async function startEdgeLoad(
  { box, acme }: InstallBox,
  urls: readonly string[],
  own: Readonly<Record<string, string>>,
): Promise<EdgeLoad> {
  const ca = await readFile(join(acme.folder, 'roots.pem'));
  const failures: string[] = [];
  const repeated: Record<string, number> = {};
  let [requests, slowestMs, isOver] = [0, 0, false];
  const lane = async (url: string): Promise<void> => {
    const { hostname, pathname } = new URL(url);
    const agent = new Agent({ keepAlive: true, servername: hostname, ca });
    const client = new PatientClient([`https://${box.address}`], agent);
    const headers = { ...own, host: hostname };
    while (!isOver) {
      const startedAt = performance.now();
      const tried = await client.send({ method: 'GET', path: pathname, headers }, limitMs);
      const tookMs = Math.round(performance.now() - startedAt);
      requests += 1;
      slowestMs = Math.max(slowestMs, tookMs);
      if (tried.end !== 'answer' || tried.status !== 200) {
        const said = tried.end === 'answer' ? `${tried.status} ${tried.body.toString().slice(0, 200)}` : tried.end;
        failures.push(`${new Date().toISOString()} ${url} after ${tookMs} ms: ${said}`);
      }
      await sleep(pauseMs);
    }
    for (const [reason, count] of Object.entries(client.retries)) repeated[reason] = (repeated[reason] ?? 0) + count;
    client.close();
  };
  const lanes = urls.map(lane);
  return {
    async stop() {
      isOver = true;
      await Promise.all(lanes);
      return { requests, failures, repeated, slowestMs };
    },
  };
}
