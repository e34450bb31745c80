// Several gateway processes on one port: the kernel spreads connections over them, and a process that stops finishes
// its open requests first.
import { once } from 'node:events';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { Site } from './site.ts';

const eventsOf = (count: number): string => Array.from({ length: count }, (_, at) => `data: ${at}\n\n`).join('');

const [established, listening] = ['01', '0A'];

/** The TCP sockets that a process holds. */
async function socketsOf(pid: number): Promise<{ local: number; remote: number; state: string }[]> {
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readFile(`/proc/${pid}/net/${name}`, 'utf8')));
  const files = await readdir(`/proc/${pid}/fd`);
  const held = await Promise.all(files.map((file) => readlink(`/proc/${pid}/fd/${file}`).catch(() => '')));
  const portIn = (address: string): number => Number.parseInt(address.split(':')[1] ?? '', 16);
  return tables
    .flatMap((table) => table.split('\n'))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , , , , , , , inode]) => held.includes(`socket:[${inode}]`))
    .map(([, local = '', remote = '', state = '']) => ({ local: portIn(local), remote: portIn(remote), state }));
}

const connectionsTo = async (port: number, pid: number): Promise<number> =>
  (await socketsOf(pid)).filter(({ remote, state }) => remote === port && state === established).length;

const listensOn = async (port: number, pid: number): Promise<boolean> =>
  (await socketsOf(pid)).some(({ local, state }) => local === port && state === listening);

export function processTests(siteOf: () => Site): void {
  /** Opens a request on its own connection. */
  async function open(path: string): Promise<IncomingMessage> {
    const url = `${siteOf().shared.url}/main/agents/echo${path}`;
    const outgoing = request(url, { agent: false, headers: { authorization: `Bearer ${siteOf().fleet.key}` } });
    outgoing.end();
    const [incoming] = await once(outgoing, 'response');
    return incoming;
  }

  const served = (): Promise<number[]> =>
    Promise.all(
      siteOf().shared.gateways.map(async ({ logFile }) => {
        const log = await readFile(logFile, 'utf8');
        return log.split('"workload":"echo"').length - 1;
      }),
    );

  test('both processes serve the same port', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const answer = await open('/');
        await text(answer);
        return answer.statusCode;
      }),
    );
    expect(statuses).toEqual(Array(40).fill(200));
    await expect.poll(async () => (await served()).reduce((sum, each) => sum + each)).toBe(40);
    expect(Math.min(...(await served()))).toBeGreaterThan(0);
  });

  test('a gateway that stops finishes its open streams, while the other takes new requests', async () => {
    const streams = await Promise.all(Array.from({ length: 40 }, () => open('/events?count=40&pause=100')));
    let areOver = false;
    const whole = Promise.all(streams.map((stream) => text(stream))).finally(() => {
      areOver = true;
    });
    const { shared } = siteOf();
    const leaving = shared.gateways[0]?.process;
    if (leaving === undefined) throw new Error('no gateway');
    const stopped = leaving.stop();
    // Until the process closes its listening socket, the kernel may still give it connections.
    await expect.poll(() => listensOn(Number(new URL(shared.url).port), leaving.pid)).toBe(false);
    for (let count = 0; count < 50 || !areOver; count += 1) {
      const answer = await open('/');
      expect([count, answer.statusCode]).toEqual([count, 200]);
      await text(answer);
    }
    expect(await whole).toEqual(Array(40).fill(eventsOf(40)));
    await stopped;
    await leaving.start();
  });

  test('without a process of the ingress its streams break, and new ones work at once', async () => {
    const runner = siteOf().fleet.machines[0]?.runner.pid ?? 0;
    const children = async () => {
      const listed = await readFile(`/proc/${runner}/task/${runner}/children`, 'utf8');
      const commands = listed
        .split(' ')
        .filter(Boolean)
        .map(async (pid) => {
          const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
          return command.includes('ingress-process') ? [Number(pid)] : [];
        });
      return (await Promise.all(commands)).flat();
    };
    const before = await children();
    expect(before).toHaveLength(2);
    const streams = await Promise.all(Array.from({ length: 40 }, () => open('/events?count=30&pause=100')));
    const heard = Promise.allSettled(streams.map((stream) => text(stream)));
    // The kernel may have put every tunnel on one process, so the process that carries the most streams is killed.
    const carried = await Promise.all(before.map(async (pid) => ({ pid, streams: await connectionsTo(8080, pid) })));
    const [victim] = carried.toSorted((a, b) => b.streams - a.streams);
    if (victim === undefined) throw new Error('no process of the ingress');
    process.kill(victim.pid, 'SIGKILL');
    for (let count = 0; count < 20; count += 1) {
      const answer = await open('/');
      expect([count, answer.statusCode]).toEqual([count, 200]);
      await text(answer);
    }
    const events = eventsOf(30);
    const whole = (await heard).filter((each) => each.status === 'fulfilled' && each.value === events).length;
    const broken = (await heard).filter(({ status }) => status === 'rejected').length;
    expect(whole + broken).toBe(40);
    expect(broken).toBeGreaterThan(0);
    expect(broken).toBeLessThanOrEqual(victim.streams);
    await expect.poll(async () => (await children()).length, { timeout: 30_000 }).toBe(2);
  });
}
