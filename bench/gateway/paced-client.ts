// A separate program, run inside the machine: sends requests at a rate that does not wait for answers, and prints their
// latency. Arguments: JSON of `Paced`.
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { quantile } from '../support/statistics.ts';

const Paced = z.object({
  urls: z.array(z.url()).min(1),
  key: z.string(),
  perSecond: z.number().positive(),
  seconds: z.number().positive(),
  /** Last bytes of every answer. */
  lastBytes: z.string(),
});
export type Paced = z.infer<typeof Paced>;

const maxConnections = 128;

class Line {
  readonly #socket: Socket;
  readonly #head: string;
  readonly #lastBytes: Buffer;
  #dueAt = 0;

  constructor(url: string, { key, lastBytes }: Paced, onAnswer: (line: Line, ms: number) => void) {
    const { hostname, port, pathname, host } = new URL(url);
    this.#head = `GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n\r\n`;
    this.#lastBytes = Buffer.from(lastBytes);
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.#socket.on('error', fail).on('close', () => fail(new Error('a connection closed')));
    this.#socket.on('data', (chunk) => {
      if (chunk.subarray(-this.#lastBytes.length).equals(this.#lastBytes))
        onAnswer(this, performance.now() - this.#dueAt);
    });
  }

  /** `dueAt` is the time at which the request should have been sent: now, unless all connections were in use. */
  send(dueAt: number): void {
    this.#dueAt = dueAt;
    this.#socket.write(this.#head);
  }
}

function fail(error: Error): void {
  console.error(error);
  process.exit(1);
}

async function run(paced: Paced): Promise<number[]> {
  const free: Line[] = [];
  const late: number[] = [];
  const times: number[] = [];
  let opened = 0;
  let underWay = 0;
  let isWarm = false;
  const onAnswer = (line: Line, ms: number): void => {
    underWay -= 1;
    if (isWarm) times.push(ms);
    const dueAt = late.shift();
    if (dueAt === undefined) free.push(line);
    else send(line, dueAt);
  };
  const send = (line: Line, dueAt: number): void => {
    underWay += 1;
    line.send(dueAt);
  };
  const start = (now: number): void => {
    // Take the connection that was idle longest, so that all are used and every process gets its share.
    const line = free.shift();
    if (line !== undefined) send(line, now);
    else if (opened >= maxConnections) late.push(now);
    else send(new Line(paced.urls[opened++ % paced.urls.length] ?? '', paced, onAnswer), now);
  };
  const startedAt = performance.now();
  const warmMs = 1_000;
  const endAt = startedAt + warmMs + paced.seconds * 1_000;
  let sent = 0;
  for (let now = startedAt; now < endAt; now = performance.now()) {
    isWarm = now > startedAt + warmMs;
    for (const due = ((now - startedAt) / 1_000) * paced.perSecond; sent < due; sent += 1) start(now);
    await sleep(1);
  }
  for (let patience = 0; underWay > 0 && patience < 2_000; patience += 1) await sleep(5);
  if (underWay > 0) fail(new Error(`${underWay} requests were never answered`));
  return times;
}

const times = await run(Paced.parse(JSON.parse(process.argv[2] ?? '')));
console.log(JSON.stringify({ p50: quantile(times, 0.5), p99: quantile(times, 0.99), requests: times.length }));
process.exit(0);
