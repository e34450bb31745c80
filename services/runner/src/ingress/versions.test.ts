// Gateways and runners of neighbouring releases, over real TLS in both directions.
import { once } from 'node:events';
import { createServer } from 'node:tls';
import { TunnelAnswer, wireProtocol } from '@berth/contract/node';
import { createLogger } from '@berth/telemetry';
import { parseLine, RunnerConnections, readLine } from '@berth/wire';
import { expect, onTestFinished, test } from 'vitest';
import { startTestIngress } from '../../test/test-ingress.ts';

const logger = createLogger({ role: 'gateway' }, { level: 'silent' });
const { oldest, newest } = wireProtocol;

test.each([
  ['of the release before, which names no range', {}],
  ['of this release', { protocol: wireProtocol }],
  [
    'of the next release, with fields that nobody here knows',
    { protocol: { oldest: newest, newest: newest + 1 }, newer: 1 },
  ],
])('a gateway %s opens a connection', async (_, words) => {
  await using bed = await startTestIngress();
  expect(await bed.knock(bed.cards.gateway, words)).toBe('open');
});

test('a gateway without a common version is refused and learns the range; a stranger learns nothing', async () => {
  await using bed = await startTestIngress();
  const protocol = { oldest: newest + 7, newest: newest + 8 };
  const ask = async (card: object) => {
    const socket = await bed.connectRaw(card);
    socket.on('error', () => {});
    socket.write(`${JSON.stringify({ protocol })}\n`);
    const answer = parseLine(await readLine(socket, 4_096), TunnelAnswer);
    socket.destroy();
    return answer;
  };
  expect(await ask(bed.cards.gateway)).toEqual({ tunnel: 'refused', protocol: { oldest, newest } });
  expect(await ask({})).toEqual({ tunnel: 'refused' });
});

/** A listener with the certificate of a runner, which gives one answer to the first line. */
async function runnerThatSays(answer: object) {
  const bed = await startTestIngress();
  const { key, certificate } = await bed.newIdentity();
  const listener = createServer({ key, cert: certificate, minVersion: 'TLSv1.3' }, (socket) => {
    socket.on('error', () => {});
    void readLine(socket, 4_096).then(() => socket.write(`${JSON.stringify(answer)}\n`));
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  if (typeof address !== 'object' || address === null) throw new Error('no address');
  const connections = new RunnerConnections({
    credentials: bed.credentials('gateway'),
    ...{ answerMs: 20_000, refusedMs: 10, logger },
  });
  onTestFinished(async () => {
    connections.close();
    listener.close();
    await bed[Symbol.asyncDispose]();
  });
  const ingress = { address: `127.0.0.1:${address.port}` };
  return () => connections.connectionTo({ runnerId: bed.runnerId, ingress });
}

test('a runner of the release before names no range, and its answer opens the connection', async () => {
  const connect = await runnerThatSays({ tunnel: 'open', newer: { field: 1 } });
  expect((await connect()).isOpen).toBe(true);
});

test('a runner without a common version is reported with both ranges and the next step', async () => {
  const protocol = { oldest: newest + 7, newest: newest + 8 };
  const connect = await runnerThatSays({ tunnel: 'refused', protocol });
  await expect(connect()).rejects.toThrow(
    `this server speaks wire protocol ${newest}, the runner ${newest + 7} to ${newest + 8}; upgrade the older of the two: berth-server upgrade ARCHIVE`,
  );
});
