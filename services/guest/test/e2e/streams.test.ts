// Log streams deliver each line once, also when readers come late, leave or read slowly.
import { once } from 'node:events';
import { request } from 'node:http';
import { bytesPerMb } from '@berth/contract/guest';
import { describe, expect, test } from 'vitest';
import { guestClient } from '../../../../tests/harness/guest-client.ts';
import { startGuestContainer } from '../../../../tests/harness/guest-container.ts';
import { isFull, runtimesOf } from '../../../../tests/harness/size.ts';
import { useGuestDocker } from './guest-docker.ts';

const seconds = isFull ? 20 : 2;
const lineText = 'x'.repeat(80);
const lineCount = Math.floor((seconds * 10 * bytesPerMb) / (lineText.length + 9));

const docker = useGuestDocker();

/**
 * Writes 10 MiB of numbered lines a second, if the machine is fast enough; their number is fixed. In the small size the
 * log keeps all of them.
 */
const writer = `node -e '
const perTick = Math.floor(${lineCount} / ${seconds * 100}); let n = 0;
const tick = () => { let text = ""; for (let i = 0; i < perTick && n < ${lineCount}; i++) text += String(++n).padStart(8, "0") + "${lineText}\\n";
  if (process.stdout.write(text)) next(); else process.stdout.once("drain", next); };
const next = () => n < ${lineCount} ? setTimeout(tick, 10) : console.error("last " + n);
tick();'`;

type Seen = { first: number; last: number; lines: number; gaps: number; broken: string[] };

/**
 * Reads to the end with pauses. A gap in the numbers, and the cut lines at its two edges, are allowed only beside a
 * line that reports the gap.
 */
async function read(url: string, pid: string, pauseMs: number, leaveAfter = Number.POSITIVE_INFINITY): Promise<Seen> {
  const seen: Seen = { first: 0, last: 0, lines: 0, gaps: 0, broken: [] };
  const asked = request(`${url}/process/${pid}/logs/stream`);
  asked.end();
  const [response] = await once(asked, 'response');
  response.setEncoding('utf8');
  let rest = '';
  let marked = false;
  let cut: string | undefined;
  for await (const chunk of response) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const [, number] = /^stdout:(\d{8})x{80}$/.exec(line) ?? [];
      if (number === undefined) {
        if (line.startsWith('stderr:') || line === '[keepalive]') continue;
        if (/truncated|behind|released|lost/.test(line)) {
          marked = true;
          cut = undefined;
          seen.gaps += 1;
        } else if (!marked) {
          // At most one line is cut before a gap.
          if (cut !== undefined) seen.broken.push(cut);
          cut = line.slice(0, 120);
        }
        continue;
      }
      if (cut !== undefined) seen.broken.push(cut);
      cut = undefined;
      const at = Number(number);
      if (seen.lines > 0 && at !== seen.last + 1 && !marked) seen.broken.push(`${seen.last} then ${at}`);
      if (at <= seen.last) seen.broken.push(`${at} again after ${seen.last}`);
      if (seen.lines === 0) seen.first = at;
      seen.last = at;
      seen.lines += 1;
      marked = false;
    }
    if (seen.lines > leaveAfter) {
      asked.destroy();
      break;
    }
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  if (cut !== undefined) seen.broken.push(cut);
  return seen;
}

// The small size tests gVisor, which has its own pipes and its own TCP.
describe.each(runtimesOf('runsc'))('under %s', (runtime) => {
  test('R-05 R-06 R-07 each line once at 10 MiB a second, with readers that come late, leave and read slowly', async () => {
    await using container = await startGuestContainer(docker.url, { image: docker.image, runtime, memoryMb: 2_048 });
    const client = guestClient(container.url);
    const { pid } = await client.start({ command: writer });
    const readers = [
      read(container.url, pid, 0),
      read(container.url, pid, 0),
      read(container.url, pid, 20),
      read(container.url, pid, 0, 20_000),
      new Promise((resolve) => setTimeout(resolve, (seconds * 1_000) / 2)).then(() => read(container.url, pid, 0)),
    ];
    const all = await Promise.all(readers);
    const { stderr } = await client.json<{ stderr: string }>('GET', `/process/${pid}/logs`);
    const last = Number(/last (\d+)/.exec(stderr)?.[1]);
    console.log(
      `${runtime}: ${last} lines, readers saw ${all.map(({ lines, gaps }) => `${lines} (${gaps} gaps)`).join(', ')}`,
    );
    expect(all.flatMap(({ broken }) => broken)).toEqual([]);
    for (const [index, seen] of all.entries()) if (index !== 3) expect(seen.last, `reader ${index}`).toBe(last);
    // The first two readers start at the beginning and never pause, so they have every line.
    for (const seen of all.slice(0, 2)) expect(seen).toMatchObject({ first: 1, lines: last, gaps: 0 });
  });
});
