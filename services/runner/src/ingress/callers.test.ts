// Access to the ingress. Each caller makes a real handshake with the key that its certificate names.
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { ingressCallerName, ingressServerName, TunnelAnswer } from '@berth/contract/node';
import { createLogger } from '@berth/telemetry';
import { type Bundle, Leases, parseLine, RunnerConnections, readLine } from '@berth/wire';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Card, makeCard, startTestIngress } from '../../test/test-ingress.ts';
import { makeAuthority } from '../../test/test-listener.ts';
import { startTunnelListener } from './tunnel-listener.ts';
import { TunnelTally } from './tunnel-tally.ts';
import { WaitingRoom } from './waiting-room.ts';

type Bed = Awaited<ReturnType<typeof startTestIngress>>;
const logger = createLogger({ role: 'gateway' }, { level: 'silent' });

/** Callers that must be refused, with the certificate that each shows. */
async function strangers({ authority, runnerId }: Bed): Promise<Record<string, Card>> {
  const elsewhere = await makeAuthority();
  const gateway = ingressCallerName('gateway');
  return {
    'shows nothing': {},
    'shows the runner’s own certificate': await makeCard(authority, runnerId),
    'shows another runner’s certificate': await makeCard(authority, randomUUID()),
    'shows a certificate of another authority': await makeCard(elsewhere, 'gateway'),
    'shows one that has ended': await makeCard(authority, 'gateway', { from: -2, to: -1 }),
    'shows one that has not begun': await makeCard(authority, 'gateway', { from: 1, to: 2 }),
    'is called gateway in its subject alone': await makeCard(authority, 'gateway', undefined, ['elsewhere.internal']),
    'has the name of a gateway beside another': await makeCard(authority, 'gateway', undefined, [
      gateway,
      ingressServerName(runnerId),
    ]),
  };
}

test('a caller without a certificate of a role opens nothing, whatever secret it knows', async () => {
  await using bed = await startTestIngress();
  let connections = 0;
  await bed.serve(() => {
    connections += 1;
  });
  const outside = Object.entries(await strangers(bed));
  for (const [who, card] of outside)
    for (const words of [{}, { secret: 'as it stands in runners.ingress_secret' }])
      expect([who, await bed.knock(card, words)]).toEqual([who, 'refused']);
  expect(connections).toBe(0);
  await expect.poll(() => bed.answers).toEqual(Array(outside.length * 2).fill('refused'));
  for (const card of [bed.cards.gateway, bed.cards.api]) expect(await bed.knock(card)).toBe('open');
});

test('a resumed session has the rights of its first certificate', async () => {
  await using bed = await startTestIngress();
  const knock = async (card: Card, session?: Buffer) => {
    const place = { host: '127.0.0.1', port: bed.port, rejectUnauthorized: false };
    const socket = connectTls({ ...place, ...card, ...(session === undefined ? {} : { session }) });
    socket.on('error', () => {});
    let next: Buffer | undefined;
    socket.on('session', (learned) => {
      next = learned;
    });
    await once(socket, 'secureConnect');
    socket.write('{}\n');
    // The session tickets arrive before the answer.
    const said = parseLine(await readLine(socket, 4_096), TunnelAnswer)?.tunnel;
    const isResumed = socket.isSessionReused();
    socket.destroy();
    return { said, session: next, isResumed };
  };
  for (const [who, card] of Object.entries(await strangers(bed))) {
    const { session } = await knock(card);
    expect([who, session]).toEqual([who, expect.any(Buffer)]);
    expect([who, await knock({}, session)]).toMatchObject([who, { said: 'refused', isResumed: true }]);
  }
  const { session } = await knock(bed.cards.gateway);
  expect(await knock({}, session)).toMatchObject({ said: 'open', isResumed: true });
});

test('an expired certificate leaves open tunnels alone, and opens no new ones', async () => {
  await using bed = await startTestIngress();
  const id = await bed.serve((socket) => void socket.pipe(socket));
  let nowMs = Date.now();
  const leases = new Leases({ socketPath: bed.lease, answerMs: 20_000, keepMs: 1_000 });
  const { key, certificate, authority } = await bed.newIdentity();
  // The listener runs in this process, because the test moves the clock of this process.
  const listener = await startTunnelListener({
    ...{ host: '127.0.0.1', port: 0, leases, localSocket: bed.lease },
    certificate: { key, certificate, authority, ticketKeys: randomBytes(48).toString('base64') },
    tally: new TunnelTally(() => {}),
    waitingRoom: new WaitingRoom(),
    isLeaving: () => false,
    onTrouble: () => {},
    now: () => nowMs,
  });
  const bundle = await bed.bundle(bed.cards.gateway, listener.port);
  const { socket, answer } = await bed.open(id, bundle);
  expect(answer).toBe('open');
  // The certificate is valid for nine more days.
  nowMs += 10 * 86_400_000;
  expect((await bed.open(id, bundle)).answer).toBe('refused');
  await expect(bed.bundle(bed.cards.gateway, listener.port)).rejects.toThrow('refused');
  socket.end('still here');
  expect(await text(socket)).toBe('still here');
  bundle.destroy();
  listener.close();
  await leases.close();
});

test('a caller renews its certificate by itself: what is open goes on, what is new comes with the new one', async () => {
  await using bed = await startTestIngress();
  const id = await bed.serve((socket) => void socket.pipe(socket));
  let nowMs = Date.now();
  const credentials = bed.credentials('gateway', () => nowMs);
  const lines = new RunnerConnections({ credentials, answerMs: 20_000, refusedMs: 10, logger });
  onTestFinished(() => lines.close());
  const place = { runnerId: bed.runnerId, ingress: { address: `127.0.0.1:${bed.port}` } };
  const open = async () => {
    const bundle = await lines.connectionTo(place);
    bundles.add(bundle);
    if (certificate === undefined || credentials.certificate === certificate) withFirstCertificate.add(bundle);
    return bed.open(id, bundle);
  };
  let certificate: string | undefined;
  const bundles = new Set<Bundle>();
  const withFirstCertificate = new Set<Bundle>();
  const first = await open();
  const [oldest] = bundles;
  certificate = credentials.certificate;
  // Seven of the ten days of the certificate's life are over: it is due for renewal and still valid.
  nowMs += 6 * 86_400_000;
  // The credentials are checked at most every ten seconds of this clock, so it is moved too.
  const { now } = performance;
  vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + 60_000);
  onTestFinished(() => void vi.restoreAllMocks());
  const answers: (string | undefined)[] = [];
  const isRenewed = async () => {
    answers.push((await open()).answer);
    return credentials.certificate !== certificate;
  };
  await expect.poll(isRenewed, { timeout: 30_000 }).toBe(true);
  bundles.clear();
  for (let count = 0; count < 5; count += 1) await isRenewed();
  expect([...bundles].filter((bundle) => withFirstCertificate.has(bundle))).toEqual([]);
  expect(new Set(answers)).toEqual(new Set(['open']));
  expect(oldest?.isOpen).toBe(true);
  first.socket.end('still here');
  expect(await text(first.socket)).toBe('still here');
});
