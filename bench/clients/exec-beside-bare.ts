// Runs `true` in a sandbox by a client and by a bare request of the same meaning, by turns.
import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { SandboxHandle } from 'berth-sdk';
import { z } from 'zod';
import { pythonProgram } from '../../engines/python.ts';
import { KeepAliveClient } from '../../tests/harness/keep-alive-client.ts';
import { timedMs } from '../support/statistics.ts';

export interface ExecPlace {
  readonly url: string;
  readonly key: string;
  readonly gatewayUrl: string;
  readonly sandbox: string;
}

/** Milliseconds of each command. */
const ExecTimes = z.object({ ours: z.array(z.number()), bare: z.array(z.number()) });
export type ExecTimes = z.infer<typeof ExecTimes>;

/** Not counted: connections are made and code is compiled in them. */
const warmUp = 100;

export async function execByTypescript(box: SandboxHandle, place: ExecPlace, count: number): Promise<ExecTimes> {
  const address = `${place.gatewayUrl}/main/sandboxes/${place.sandbox}`;
  const kept = new KeepAliveClient(address, { authorization: `Bearer ${place.key}` }, 1);
  const kinds = {
    async ours() {
      const { exitCode } = await box.exec('true');
      if (exitCode !== 0) throw new Error(`It ended with ${exitCode}.`);
    },
    async bare(at: number) {
      const body = JSON.stringify({ command: 'true', name: `bare-${at}` });
      const { text } = await kept.send('POST', '/process?format=events&once=true', body);
      if (!text.includes('"type":"end"')) throw new Error(`It said ${text}.`);
    },
  };
  const times: ExecTimes = { ours: [], bare: [] };
  for (let at = 0; at < warmUp + count; at += 1) {
    // Each is first in every second turn.
    for (const kind of at % 2 === 0 ? (['ours', 'bare'] as const) : (['bare', 'ours'] as const)) {
      const ms = await timedMs(() => kinds[kind](at));
      if (at >= warmUp) times[kind].push(ms);
    }
  }
  kept.close();
  return times;
}

export async function execByPython(place: ExecPlace, count: number): Promise<ExecTimes> {
  const program = resolve(import.meta.dirname, 'exec_beside_httpx.py');
  const { stdout } = await promisify(execFile)(await pythonProgram('python'), [program], {
    env: {
      PATH: '/usr/bin:/bin',
      PYTHONPATH: join(import.meta.dirname, '../../clients/python/src'),
      PYTHONDONTWRITEBYTECODE: '1',
      BENCH: JSON.stringify({ ...place, count, warmUp }),
    },
    maxBuffer: 16 * 1024 * 1024,
  });
  return ExecTimes.parse(JSON.parse(stdout));
}
