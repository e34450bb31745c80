import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { bytesPerMb } from '@berth/contract/node';
import { expect, test } from 'vitest';
import { startTestIngress } from '../../test/test-ingress.ts';

/** Limit of the waiting room for connections from one address. */
const maxPerAddress = 256;

async function rssOf(pids: readonly number[]): Promise<number> {
  const pages = await Promise.all(
    pids.map(async (pid) => (await readFile(`/proc/${pid}/statm`, 'utf8')).split(' ')[1]),
  );
  return pages.reduce((sum, each) => sum + Number(each) * 4_096, 0);
}

test('an HTTP exchange goes through', async () => {
  await using bed = await startTestIngress();
  const server = createServer((_request, response) => response.end('from the container'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no address');
  const id = randomUUID();
  bed.endpoints.set(id, { address: '127.0.0.1', port: address.port });
  const { socket } = await bed.open(id);
  const outgoing = request({ createConnection: () => socket, path: '/' });
  outgoing.end();
  const [response] = await once(outgoing, 'response');
  expect(await text(response)).toBe('from the container');
  socket.destroy();
  server.close();
});

test('a container that does not listen is called unreachable', async () => {
  await using bed = await startTestIngress();
  const id = randomUUID();
  bed.endpoints.set(id, { address: '127.0.0.1', port: 1 });
  expect((await bed.open(id)).answer).toBe('unreachable');
  expect(bed.ingress.tunnels).toBe(0);
});

test('a hundred megabytes arrive as they were sent, both ways at once', async () => {
  await using bed = await startTestIngress();
  const id = await bed.serve((socket) => void socket.pipe(socket));
  const { socket } = await bed.open(id);
  const [sent, received] = [createHash('sha256'), createHash('sha256')];
  let bytes = 0;
  function* chunks() {
    for (let count = 0; count < 100; count += 1) {
      const chunk = randomBytes(bytesPerMb);
      sent.update(chunk);
      yield chunk;
    }
  }
  const reading = (async () => {
    for await (const chunk of socket) {
      received.update(chunk);
      bytes += chunk.length;
    }
  })();
  await pipeline(Readable.from(chunks()), socket);
  await reading;
  expect(bytes).toBe(100 * bytesPerMb);
  expect(received.digest('hex')).toBe(sent.digest('hex'));
  await expect.poll(() => bed.ingress.tunnels).toBe(0);
});

test('a side that has ended its half still receives the other half', async () => {
  await using bed = await startTestIngress();
  const answering = await bed.serve(async (socket) => {
    const said = await buffer(socket);
    await sleep(100);
    socket.end(`heard ${said}`);
  });
  const first = await bed.open(answering);
  first.socket.end('all of it');
  expect(await text(first.socket)).toBe('heard all of it');

  const heard = Promise.withResolvers<string>();
  const talking = await bed.serve(async (socket) => {
    socket.end('greeting');
    heard.resolve(await text(socket));
  });
  const second = await bed.open(talking);
  expect(await text(second.socket)).toBe('greeting');
  await sleep(100);
  second.socket.end('late reply');
  expect(await heard.promise).toBe('late reply');
  await expect.poll(() => bed.ingress.tunnels).toBe(0);
});

test('a gateway or container that breaks off is not mistaken for one that has finished', async () => {
  await using bed = await startTestIngress();
  const left = Promise.withResolvers<unknown>();
  const patient = await bed.serve(
    (socket) => void socket.once('end', left.resolve).once('close', left.resolve).resume().write('half an'),
  );
  const leaving = await bed.open(patient);
  leaving.socket.once('data', () => bed.leases.cut(patient));
  await expect(text(leaving.socket)).rejects.toThrow(/broken off/);
  await left.promise;
  const rude = await bed.serve((socket) => {
    socket.write('half an answer');
    socket.once('data', () => socket.resetAndDestroy());
  });
  const { socket } = await bed.open(rude);
  socket.write('go');
  await expect(text(socket)).rejects.toThrow(/broken off/);
  await expect.poll(() => bed.ingress.tunnels).toBe(0);
});

test('a gateway that is gone ends the connection to the container', async () => {
  await using bed = await startTestIngress();
  const closed = Promise.withResolvers<void>();
  const id = await bed.serve((socket) => {
    socket.once('close', () => closed.resolve());
    socket.resume().once('end', () => socket.end());
  });
  const { socket } = await bed.open(id);
  socket.destroy();
  await closed.promise;
  await expect.poll(() => bed.ingress.tunnels).toBe(0);
});

test('a reader that does not read stops the writer, not the runner', async () => {
  await using bed = await startTestIngress();
  let written = 0;
  const id = await bed.serve((socket) => {
    const chunk = Buffer.alloc(bytesPerMb);
    const fill = () => {
      while (!socket.destroyed && socket.write(chunk)) written += 1;
      written += 1;
    };
    socket.on('drain', fill);
    fill();
  });
  const before = await rssOf(bed.ingress.pids);
  const gateways = await Promise.all(Array.from({ length: 5 }, () => bed.open(id)));
  for (let before = -1; before !== written; ) {
    before = written;
    await sleep(500);
    // Only what the kernel buffers for each connection may have been written.
    expect(written).toBeLessThan(5 * 40);
  }
  expect((await rssOf(bed.ingress.pids)) - before).toBeLessThan(200 * bytesPerMb);
  for (const { socket } of gateways) socket.destroy();
});

test('a thousand quick tunnels are all answered, and none is left', async () => {
  await using bed = await startTestIngress();
  const bundle = await bed.bundle();
  const id = await bed.serve((socket) => void socket.end('ok'));
  let served = 0;
  const one = async () => {
    const { socket } = await bed.open(id, bundle);
    if ((await text(socket)) === 'ok') served += 1;
    socket.end();
  };
  for (let round = 0; round < 20; round += 1) await Promise.all(Array.from({ length: 50 }, one));
  expect(served).toBe(1_000);
  await expect.poll(() => bed.ingress.tunnels).toBe(0);
}, 60_000);

test('an invalid or too long first line closes the connection', async () => {
  await using bed = await startTestIngress();
  for (const nonsense of ['hello\n', '[]\n', `${'x'.repeat(5_000)}`, `${'x'.repeat(5_000)}\n`, '\n']) {
    const socket = await bed.connectRaw();
    socket.on('error', () => {});
    socket.write(nonsense);
    expect(await text(socket).catch(() => '')).toBe('');
  }
});

test('silent connections take a bounded number of places for a bounded time', async () => {
  await using bed = await startTestIngress();
  const id = await bed.serve((socket) => void socket.end());
  // One of the silent connections has made its handshake.
  const polite = await bed.connectRaw();
  const isHungUpOn = new Promise((resolve) => polite.once('end', resolve));
  polite.on('error', () => {}).resume();
  let turnedAway = 0;
  // Not all at once: they would wait in the kernel's queue, where none is turned away.
  for (let count = 0; count < 1_100; count += 1) {
    const stranger = connect({ host: '127.0.0.1', port: bed.port });
    stranger.on('error', () => {}).resume();
    stranger.once('close', () => {
      turnedAway += 1;
    });
    if (count % 50 === 0) await once(stranger, 'connect').catch(() => {});
  }
  await expect.poll(() => turnedAway).toBeGreaterThanOrEqual(1_101 - maxPerAddress);
  await expect.poll(() => turnedAway, { timeout: 30_000 }).toBe(1_100);
  await isHungUpOn;
  expect((await bed.open(id)).answer).toBe('open');
});

test('a gateway that comes back resumes its TLS session, whichever process it meets', async () => {
  await using bed = await startTestIngress(30, 2);
  const options = { host: '127.0.0.1', port: bed.port, rejectUnauthorized: false, ...bed.cards.gateway };
  const first = connectTls(options);
  const [session]: Buffer[] = await once(first, 'session');
  first.destroy();
  for (let count = 0; count < 10; count += 1) {
    const again = connectTls({ ...options, session });
    await once(again, 'secureConnect');
    expect(again.isSessionReused()).toBe(true);
    again.destroy();
  }
});

test('a renewed certificate is shown to new connections, and open ones go on', async () => {
  await using bed = await startTestIngress();
  const id = await bed.serve((socket) => void socket.pipe(socket));
  const { socket } = await bed.open(id);
  const shown = async () => {
    const seeing = connectTls({ host: '127.0.0.1', port: bed.port, rejectUnauthorized: false });
    await once(seeing, 'secureConnect');
    const { fingerprint256 } = seeing.getPeerCertificate();
    seeing.destroy();
    return fingerprint256;
  };
  const before = await shown();
  bed.ingress.use(await bed.newIdentity());
  await expect.poll(shown).not.toBe(before);
  socket.end('still here');
  expect(await text(socket)).toBe('still here');
  expect((await bed.open(id)).answer).toBe('open');
});
