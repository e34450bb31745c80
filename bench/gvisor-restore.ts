// Checks that a server survives a checkpoint: its memory is written to disk, the sandbox
// ends, and a new one restores it.
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gvisor, installedRunsc } from '../engines/gvisor.ts';
import { runtimesRoot, runtimesRootFolder } from '../engines/runtimes-root.ts';
import type { Bench } from './bench.ts';
import { openRunsc, type Runsc } from './gvisor-restore/runsc.ts';
import { median, timedMs } from './support/statistics.ts';

const rounds = 10;
const answerMs = 60_000;
const servers = {
  node: ['node', '/servers/server.mjs'],
  python: ['python3', '/servers/server.py'],
  java: ['java', '/servers/Server.java'],
};
/** Asks the server for its count of requests. */
const ask = ['node', '-e', "fetch('http://127.0.0.1:8080').then((answer) => answer.text()).then(console.log)"];

export const gvisorRestore: Bench = {
  name: 'gvisor-restore',
  about: `a Node, CPython and JVM server through runsc checkpoint and restore, ${rounds} times each`,
  async *run() {
    await gvisor.install();
    await runtimesRoot.install();
    const program = await installedRunsc();
    if (program === undefined) throw new Error('gVisor is not installed. Run "pnpm engines install gvisor".');
    // runsc mounts a file in this folder. Mount and folder are removed when the run ends.
    const folder = await mkdtemp(join(tmpdir(), 'restore-'));
    const runsc = openRunsc({
      program,
      folder,
      rootFolder: await runtimesRootFolder(),
      serversFolder: join(import.meta.dirname, 'gvisor-restore/servers'),
    });
    for (const [name, command] of Object.entries(servers)) {
      const checkpointMs: number[] = [];
      const restoreMs: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const times = await survives(runsc, `${name}-${round}`, command, join(folder, `image-${name}-${round}`)).catch(
          (error: unknown) => console.error(`${name}, round ${round}: ${String(error)}`),
        );
        if (times) checkpointMs.push(times.checkpointMs);
        if (times) restoreMs.push(times.restoreMs);
      }
      yield {
        name: `${name}: restored, of ${rounds}`,
        value: restoreMs.length,
        unit: 'restores',
        bound: { atLeast: rounds },
        detail: { checkpointMs: Math.round(median(checkpointMs)), restoreMs: Math.round(median(restoreMs)) },
      };
    }
  },
};

/** One round: two requests, checkpoint, restore; the server must count the next request as the third. */
async function survives(runsc: Runsc, id: string, command: readonly string[], image: string) {
  runsc.start(id, command);
  try {
    await firstAnswer(runsc, id);
    await expectCount(runsc, id, 2);
    const checkpointMs = await timedMs(async () => runsc.checkpoint(id, image));
    const restoreMs = await timedMs(async () => runsc.restore(id, image));
    await expectCount(runsc, id, 3);
    return { checkpointMs, restoreMs };
  } finally {
    runsc.remove(id);
  }
}

async function firstAnswer(runsc: Runsc, id: string): Promise<void> {
  const giveUpAt = Date.now() + answerMs;
  for (;;) {
    const answer = await runsc.exec(id, ask).catch(() => '');
    if (answer.trim() === '1') return;
    if (Date.now() > giveUpAt) throw new Error(`The server did not answer within ${answerMs / 1_000} s.`);
    await sleep(200);
  }
}

async function expectCount(runsc: Runsc, id: string, count: number): Promise<void> {
  const answer = await runsc.exec(id, ask);
  if (answer.trim() !== String(count))
    throw new Error(`The server counted ${answer.trim()} requests instead of ${count}.`);
}
