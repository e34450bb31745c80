import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { bytesPerMb } from '@berth/contract';
import { afterEach, expect, test } from 'vitest';
import { logger } from '../../test/proxy-fixture.ts';
import { createGatewayServer, type GatewayServer } from './gateway-server.ts';
import { sendAnswer } from './send-answer.ts';

let gateway: GatewayServer | undefined;
afterEach(() => gateway?.stop(0));

async function refusing(body: string, lingerMs?: number): Promise<number> {
  gateway = createGatewayServer({
    refusal: () => ({ headers: [], body: '' }),
    maxHeaderBytes: 16_384,
    headersTimeoutMs: 5_000,
    keepAliveMs: 5_000,
    logger,
    async handle(call) {
      sendAnswer(call, { status: 413, headers: { 'Content-Length': String(body.length) }, body }, lingerMs);
    },
  });
  return (await gateway.listen(0, '127.0.0.1')).port;
}

const head = (bytes: number) => `PUT / HTTP/1.1\r\nHost: somewhere\r\nContent-Length: ${bytes}\r\n\r\n`;

test.each(['too large', ''])(
  'a client that reads nothing before all of its body is sent finds the answer %o',
  async (body) => {
    const client = connect({ port: await refusing(body), host: '127.0.0.1' }).pause();
    const bytes = 40 * bytesPerMb;
    client.write(head(bytes));
    await new Promise<void>((resolve, reject) => {
      client.once('error', reject);
      client.write(Buffer.alloc(bytes), () => resolve());
    });
    const said = await text(client);
    expect(said).toMatch(/^HTTP\/1\.1 413 /);
    expect(said).toContain('Connection: close');
    expect(said.endsWith(`\r\n\r\n${body}`)).toBe(true);
  },
);

test('a client that never ends its body is answered at once, and cut off after the linger time', async () => {
  const client = connect({ port: await refusing('no', 200), host: '127.0.0.1' });
  const startedAt = performance.now();
  client.write(`${head(1_000)}the first of it`);
  expect(await text(client)).toMatch(/^HTTP\/1\.1 413 .*no$/s);
  expect(performance.now() - startedAt).toBeGreaterThan(190);
});
