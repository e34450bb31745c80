// A program of its own: sends requests with invented keys, hosts and preview tokens at a rate that does not wait for answers, and
// prints how many were answered with which status. Keys and tokens have valid checksums: an attacker can compute those.
// Arguments: JSON of `Flood`.
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { defaultBrand, headerNames } from '@berth/contract';
import { newApiKey, newPreviewToken } from '@berth/identity';
import { z } from 'zod';

const Flood = z.object({
  port: z.int(),
  perSecond: z.number().positive(),
  seconds: z.number().positive(),
  /** Path of a workload that exists, and host of a private preview that does. */
  path: z.string(),
  previewHost: z.string(),
});
export type Flood = z.infer<typeof Flood>;

/** More than the lanes of the gateway hold, so that the flood does not wait for them. */
const maxConnections = 1_000;
/** How every answer of the gateway itself ends. */
const lastBytes = Buffer.from('}}');

const kinds = [
  ({ path }: Flood) =>
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${newApiKey(defaultBrand).value}`,
  () => `GET / HTTP/1.1\r\nHost: agt-${randomBytes(10).toString('hex')}.local.localhost`,
  ({ previewHost }: Flood) =>
    `GET / HTTP/1.1\r\nHost: ${previewHost}\r\n${headerNames(defaultBrand).previewToken}: ${newPreviewToken()}`,
] as const;

const statuses = new Map<string, number>();

function openConnection(port: number, onAnswer: (socket: Socket) => void): Socket {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  socket.on('error', () => statuses.set('broken', (statuses.get('broken') ?? 0) + 1));
  socket.on('data', (chunk) => {
    // An answer of the gateway comes in one piece or two; its head has the status.
    const status = /^HTTP\/1\.1 (\d{3})/.exec(chunk.toString('latin1', 0, 16))?.[1];
    if (status !== undefined) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (chunk.subarray(-lastBytes.length).equals(lastBytes)) onAnswer(socket);
  });
  return socket;
}

async function run(flood: Flood): Promise<{ sent: number; late: number }> {
  const free: Socket[] = [];
  let [opened, sent, late] = [0, 0, 0];
  const startedAt = performance.now();
  for (let now = startedAt; now < startedAt + flood.seconds * 1_000; now = performance.now()) {
    for (const due = ((now - startedAt) / 1_000) * flood.perSecond; sent + late < due; ) {
      const socket =
        free.shift() ??
        (opened < maxConnections ? openConnection(flood.port, (answered) => free.push(answered)) : undefined);
      // All connections wait for an answer: the request counts as not sent.
      if (socket === undefined) {
        late += 1;
        continue;
      }
      if (socket.connecting) opened += 1;
      socket.write(`${kinds[sent % kinds.length]?.(flood)}\r\n\r\n`);
      sent += 1;
    }
    await sleep(1);
  }
  return { sent, late };
}

const told = await run(Flood.parse(JSON.parse(process.argv[2] ?? '')));
console.log(JSON.stringify({ ...told, statuses: Object.fromEntries(statuses) }));
process.exit(0);
