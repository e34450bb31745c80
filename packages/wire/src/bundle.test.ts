import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { type Duplex, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { Bundle } from './bundle.ts';
import type { Channel } from './channel.ts';
import { FrameReader, frameHead, frameKinds } from './frame.ts';

const closing: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Two ends of a connection; the far end serves every tunnel with `serve`. */
async function start(serve: (channel: Channel, words: string) => void) {
  const accepted = Promise.withResolvers<Duplex>();
  const server = createServer((socket) => {
    socket.on('error', () => {});
    accepted.resolve(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no address');
  const near = connect(address.port, '127.0.0.1').on('error', () => {});
  const far = await accepted.promise;
  closing.push(
    () => server.close(),
    () => near.destroy(),
    () => far.destroy(),
  );
  const farBundle = new Bundle(far, {
    onOpen(words, channel, answer) {
      answer(`yes ${words}`);
      serve(channel, words);
    },
  });
  return { near, far, farBundle, bundle: new Bundle(near) };
}

test('frames are the same however they are cut into pieces', () => {
  const Frame = fc.tuple(fc.constantFrom(...frameKinds), fc.nat(2 ** 32 - 1), fc.uint8Array({ maxLength: 3_000 }));
  fc.assert(
    fc.property(fc.array(Frame, { maxLength: 20 }), fc.array(fc.integer({ min: 1, max: 4_000 })), (frames, cuts) => {
      const bytes = Buffer.concat(
        frames.flatMap(([kind, id, payload]) => [frameHead(kind, id, payload.length), payload]),
      );
      const seen: string[] = [];
      const reader = new FrameReader({
        frame(kind, id, payload) {
          // Data may arrive in several pieces.
          const isMore = kind === 'data' && seen.at(-1)?.startsWith(`${kind} ${id} `);
          if (isMore) seen.push(`${seen.pop()}${payload.toString('hex')}`);
          else seen.push(`${kind} ${id} ${payload.toString('hex')}`);
        },
      });
      let at = 0;
      for (const cut of [...cuts, bytes.length]) {
        reader.read(bytes.subarray(at, at + cut));
        at += cut;
      }
      const expected: string[] = [];
      for (const [kind, id, payload] of frames) {
        const isMore = kind === 'data' && expected.at(-1)?.startsWith(`${kind} ${id} `);
        if (isMore) expected.push(`${expected.pop()}${Buffer.from(payload).toString('hex')}`);
        else expected.push(`${kind} ${id} ${Buffer.from(payload).toString('hex')}`);
      }
      expect(seen).toEqual(expected);
    }),
  );
});

test('tunnels are answered, carry bytes both ways, and end one half after the other', async () => {
  const { bundle, farBundle } = await start((channel, words) => {
    channel.write(`${words} heard `);
    void text(channel).then((said) => channel.end(said));
  });
  const heard = await Promise.all(
    Array.from({ length: 100 }, async (_, at) => {
      const { channel, answer } = bundle.open(`tunnel ${at}`);
      expect(await answer).toBe(`yes tunnel ${at}`);
      channel.end(`words ${at}`);
      return text(channel);
    }),
  );
  expect(heard).toEqual(Array.from({ length: 100 }, (_, at) => `tunnel ${at} heard words ${at}`));
  await expect.poll(() => bundle.size + farBundle.size).toBe(0);
});

test('megabytes arrive as they were sent, on several tunnels at once', async () => {
  const { bundle } = await start((channel) => void channel.pipe(channel));
  await Promise.all(
    Array.from({ length: 5 }, async () => {
      const { channel } = bundle.open('');
      const [sent, received] = [createHash('sha256'), createHash('sha256')];
      const chunks = Array.from({ length: 40 }, (_, at) => randomBytes(1 + at * 10_000));
      for (const chunk of chunks) sent.update(chunk);
      const reading = (async () => {
        for await (const chunk of channel) received.update(chunk);
      })();
      await pipeline(Readable.from(chunks), channel);
      await reading;
      expect(received.digest('hex')).toBe(sent.digest('hex'));
    }),
  );
});

test('a tunnel whose reader stops blocks its own writer, and no other tunnel', async () => {
  let written = 0;
  const { bundle } = await start((channel, words) => {
    if (words === 'talk') return void channel.pipe(channel);
    const fill = (): void => {
      for (let more = !channel.destroyed; more; written += 10_000) more = channel.write(Buffer.alloc(10_000));
    };
    channel.on('drain', fill);
    fill();
  });
  const { channel: deaf } = bundle.open('flood');
  await expect.poll(() => written).toBeGreaterThan(128 * 1024);
  const { channel: lively } = bundle.open('talk');
  lively.end('hello');
  expect(await text(lively)).toBe('hello');
  await sleep(200);
  expect(written).toBeLessThan(400 * 1024);
  deaf.resume();
  await expect.poll(() => written).toBeGreaterThan(4_000 * 1024);
  deaf.destroy();
});

test('a broken tunnel breaks at the other end too, and the other tunnels go on', async () => {
  const far: Channel[] = [];
  const { bundle } = await start((channel) => void far.push(channel.resume()));
  const opened = [bundle.open('a'), bundle.open('b'), bundle.open('c')].map(({ channel }) =>
    channel.on('error', () => {}),
  );
  await expect.poll(() => far.length).toBe(3);
  const [first, second, third] = opened;
  first?.destroy();
  far[1]?.write('half an');
  far[1]?.destroy();
  await expect.poll(() => far[0]?.errored?.message).toMatch(/broken off/);
  await expect(text(second ?? Readable.from([]))).rejects.toThrow(/broken off/);
  far[2]?.end('whole');
  expect(await text(third ?? Readable.from([]))).toBe('whole');
});

test('when the connection breaks, every requested or open tunnel breaks', async () => {
  const { bundle, far } = await start((channel) => void channel.resume());
  const open = bundle.open('open');
  await open.answer;
  const asked = bundle.open('asked');
  for (const { channel } of [open, asked]) channel.on('error', () => {});
  far.destroy();
  expect((await asked.answer) === undefined || (await asked.answer) === 'yes asked').toBe(true);
  await expect(text(open.channel)).rejects.toThrow(/connection broke/);
  expect([bundle.size, bundle.isOpen]).toEqual([0, false]);
});

test.each([
  ['an unknown kind', Buffer.from([99, 0, 0, 0, 1, 0, 0, 0])],
  ['a control frame that is too long', frameHead('open', 1, 5_000)],
  ['a number twice', Buffer.concat([frameHead('open', 1, 0), frameHead('open', 1, 0)])],
  [
    'more than the window',
    Buffer.concat([frameHead('open', 1, 0), frameHead('data', 1, 300 * 1024), Buffer.alloc(300 * 1024)]),
  ],
])('%s closes the connection', async (_, bytes) => {
  const { near, far } = await start(() => {});
  near.write(bytes);
  await expect.poll(() => far.destroyed).toBe(true);
});
