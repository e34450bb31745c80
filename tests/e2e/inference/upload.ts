// A body larger than a gateway or runner should hold in memory, sent in pieces without a length.

import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request as send } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { bytesPerMb } from '@berth/contract/node';
import { expect, test } from 'vitest';
import { residentMb } from '../../harness/resident-mb.ts';
import { isFull } from '../../harness/size.ts';
import type { Site } from './site.ts';

const sizeMb = isFull ? 1024 : 128;
/** Room for Node's heap before it collects; the test is that memory does not grow with the size of the upload. */
const maxGrowthMb = 100;

/**
 * Resident memory of a process and its children: the bytes pass through the ingress processes of a runner. A process
 * that has ended counts as 0.
 */
async function treeResidentMb(pid: number): Promise<number> {
  const [own, children] = await Promise.all([
    residentMb(pid).catch(() => 0),
    readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => ''),
  ]);
  const theirs = await Promise.all(children.split(' ').filter(Boolean).map(Number).map(treeResidentMb));
  return theirs.reduce((sum, each) => sum + each, own);
}

/** Samples memory every 50 ms; the growth is up to the largest sample. */
async function growthOf(pids: readonly number[], work: Promise<unknown>): Promise<number[]> {
  const before = await Promise.all(pids.map(treeResidentMb));
  expect(Math.min(...before)).toBeGreaterThan(0);
  const most = [...before];
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      for (const [index, now] of (await Promise.all(pids.map(treeResidentMb))).entries())
        most[index] = Math.max(most[index] ?? 0, now);
      await sleep(50);
    }
  })();
  await work.finally(() => {
    isOver = true;
  });
  await watching;
  return most.map((each, index) => each - (before[index] ?? 0));
}

export function uploadTests(site: () => Site): void {
  test(`${sizeMb} MiB pass in pieces, and neither gateway nor runner grows with them`, async () => {
    const { url, fleet } = site();
    const piece = randomBytes(bytesPerMb);
    const hash = createHash('sha256');
    async function* pieces() {
      for (let index = 0; index < sizeMb; index += 1) {
        hash.update(piece);
        yield piece;
      }
    }
    const outgoing = send(`${url}/main/agents/echo/upload`, {
      method: 'POST',
      headers: { authorization: `Bearer ${fleet.key}`, 'content-type': 'application/octet-stream' },
    });
    const answered = once(outgoing, 'response');
    const pids = [fleet.gateways[0]?.process.pid ?? 0, fleet.machines[0]?.runner.pid ?? 0];
    const growth = await growthOf(pids, pipeline(Readable.from(pieces()), outgoing));
    const [incoming] = await answered;
    const body = JSON.parse(await text(incoming));
    expect(body).toMatchObject({ bytes: sizeMb * piece.length, sha256: hash.digest('hex') });
    const [gateway = 0, runner = 0] = growth;
    console.log(
      `${sizeMb} MiB passed; at most the gateway grew by ${gateway.toFixed(0)} MiB, the runner by ${runner.toFixed(0)}`,
    );
    expect(gateway).toBeLessThan(maxGrowthMb);
    expect(runner).toBeLessThan(maxGrowthMb);
  });
}
