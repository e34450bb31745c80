// A separate program: sends requests with invented keys, hosts and preview tokens at a rate that does not wait for
// answers, and prints the number of answers by status and its own CPU time. Keys and tokens have valid checksums, which
// an attacker can compute. It shares the machine with the measured gateway, so all requests are built before it begins.
// Arguments: JSON of `Flood`. It prints `ready` and begins when a line arrives on its standard input.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { defaultBrand, headerNames } from '@berth/contract';
import { newApiKey, newPreviewToken } from '@berth/identity';
import { z } from 'zod';

const Flood = z.object({
  port: z.int(),
  perSecond: z.number().positive(),
  seconds: z.number().positive(),
  /** Path of an existing workload; `previewHost` is the host of an existing private preview. */
  path: z.string(),
  previewHost: z.string(),
});
export type Flood = z.infer<typeof Flood>;

/**
 * More than the lanes of the gateway hold, so that the flood does not wait for them. The most
 * recently answered is used first.
 */
const maxConnections = 1_000;
/** Last byte of every answer that the gateway itself gives. */
const lastByte = '}'.charCodeAt(0);
const digitsAt = 'HTTP/1.1 '.length;

const kinds = [
  ({ path }: Flood) =>
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${newApiKey(defaultBrand).value}`,
  () => `GET / HTTP/1.1\r\nHost: agt-${randomBytes(10).toString('hex')}.local.localhost`,
  ({ previewHost }: Flood) =>
    `GET / HTTP/1.1\r\nHost: ${previewHost}\r\n${headerNames(defaultBrand).previewToken}: ${newPreviewToken()}`,
] as const;

const statuses = new Map<number, number>();
const count = (status: number): void => void statuses.set(status, (statuses.get(status) ?? 0) + 1);

/** An answer of the gateway arrives in one or two pieces: its head begins with H, its body with a brace. */
function openConnection(port: number, onAnswer: (socket: Socket) => void): Socket {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  // Status 0 stands for a broken connection.
  socket.on('error', () => count(0));
  socket.on('data', (chunk) => {
    if (chunk[0] === 'H'.charCodeAt(0)) count(Number(chunk.toString('latin1', digitsAt, digitsAt + 3)));
    if (chunk[chunk.length - 1] === lastByte && chunk[chunk.length - 2] === lastByte) onAnswer(socket);
  });
  return socket;
}

async function run({ port, perSecond, seconds }: Flood, requests: readonly string[]) {
  const free: Socket[] = [];
  let [opened, sent, late] = [0, 0, 0];
  const startedAt = performance.now();
  for (let now = startedAt; now < startedAt + seconds * 1_000; now = performance.now()) {
    for (const due = Math.min(requests.length, ((now - startedAt) / 1_000) * perSecond); sent + late < due; ) {
      let socket = free.pop();
      if (socket === undefined && opened < maxConnections) {
        socket = openConnection(port, (answered) => free.push(answered));
        opened += 1;
      }
      // All connections wait for an answer, so the request counts as not sent.
      if (socket === undefined) late += 1;
      else {
        socket.write(requests[sent] ?? '', 'latin1');
        sent += 1;
      }
    }
    await sleep(1);
  }
  return { sent, late, opened };
}

const flood = Flood.parse(JSON.parse(process.argv[2] ?? ''));
const requests = Array.from(
  { length: Math.ceil(flood.perSecond * flood.seconds) },
  (_, at) => `${kinds[at % kinds.length]?.(flood)}\r\n\r\n`,
);
console.log('ready');
await once(process.stdin, 'data');
const before = process.cpuUsage();
const told = await run(flood, requests);
const { user, system } = process.cpuUsage(before);
const cpuMs = Math.round((user + system) / 1_000);
console.log(JSON.stringify({ ...told, cpuMs, statuses: Object.fromEntries(statuses) }));
process.exit(0);
