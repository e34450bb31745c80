// One of several processes of readers, so that no process exceeds its limit of open files. The parent sends what to
// open, how to read and when to leave. It uses raw sockets: the load must cost less than the measured services.
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { ClientOrder, type ClientReport } from './client-messages.ts';

type Stream = { readonly socket: Socket; events: number; isBroken: boolean };

const streams: Stream[] = [];
let isLeaving = false;

const say = (report: ClientReport): void => void process.send?.(report);

function open({ host, port, path, key, body, reads }: Extract<ClientOrder, { do: 'open' }>): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, noDelay: true });
    const stream: Stream = { socket, events: 0, isBroken: false };
    streams.push(stream);
    const head = `${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n`;
    if (body === undefined) socket.write(`GET ${head}\r\n`);
    else
      socket.write(
        `POST ${head}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
    socket.on('error', () => {});
    socket.once('data', (chunk) => {
      stream.isBroken = !chunk.toString('latin1', 0, 12).startsWith('HTTP/1.1 200');
      if (!reads) socket.pause();
      resolve();
    });
    if (reads)
      socket.on('data', (chunk) => {
        stream.events += chunk.toString('latin1').split('data:').length - 1;
      });
    socket.once('close', () => {
      stream.isBroken ||= !isLeaving;
      resolve();
    });
  });
}

async function openAll(order: Extract<ClientOrder, { do: 'open' }>): Promise<void> {
  let left = order.count;
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await open(order);
    }
  };
  await Promise.all(Array.from({ length: order.atATime }, worker));
}

async function leave(): Promise<void> {
  isLeaving = true;
  // Half close normally, half reset the connection.
  for (const [at, { socket }] of streams.entries()) at % 2 === 0 ? socket.destroy() : socket.resetAndDestroy();
  streams.length = 0;
  await sleep(0);
  isLeaving = false;
}

process.on('message', async (said) => {
  const order = z.parse(ClientOrder, said);
  if (order.do === 'open') await openAll(order);
  if (order.do === 'leave') await leave();
  const broken = streams.filter(({ isBroken }) => isBroken).length;
  const fewestEvents = streams.reduce((fewest, { events }) => Math.min(fewest, events), Number.MAX_SAFE_INTEGER);
  say({ open: streams.length - broken, broken, fewestEvents });
});
process.on('disconnect', () => process.exit());
