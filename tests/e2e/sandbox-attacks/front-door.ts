// Attacks through the api and the gateway: with the name of an image, from a page in a visitor's browser, with a key
// that lacks the scope. Every request passes the real api or gateway. A browser's behaviour is derived from the
// answer's headers.
import { defaultBrand, headerNames, previewTokenParameter } from '@berth/contract';
import { beforeAll, expect, test } from 'vitest';
import { callDocker } from '../../../engines/docker-api.ts';
import type { Client } from '../../harness/client.ts';
import { takeBack } from '../../harness/placed-instance.ts';
import { type HostAnswer, type HostRequest, sendToHost } from '../../harness/send-to-host.ts';
import { clientOf } from '../../harness/workloads.ts';
import { type AttackedMachine, image } from './attacked-machine.ts';

type Note = (attack: string, on: string, expected: string, seen: string) => void;

const tokenCookie = previewTokenParameter(defaultBrand);
const tokenHeader = headerNames(defaultBrand).previewToken;
const pagePort = 3000;
const bodyOf = ({ text }: HostAnswer) => JSON.parse(text);

/** Must run before the orchestrator starts, which would take back instances that belong to no sandbox. */
export function imageAttacks(bedOf: () => AttackedMachine, note: Note): void {
  test('image attack: neither another workspace’s copy nor an image’s id gives a sandbox its files', async () => {
    const attacked = bedOf();
    const { reference } = attacked.privateImage;
    const owner = await attacked.sandbox('runc', 0, 128, { image: reference, imageSource: { origin: 'workspace' } });
    const seen = await callDocker(attacked.machine.dockerUrl, `GET /images/${reference}/json`);
    const { Id: id } = JSON.parse(seen.body.toString());
    expect(id).toMatch(/^sha256:[0-9a-f]{64}$/);

    const names = { name: reference, id, 'bare id': id.slice('sha256:'.length) };
    const attacker = clientOf(attacked.fleet, 'two');
    for (const [what, named] of Object.entries(names)) {
      const spec = { runtime: { image: named } };
      const { status, body } = await attacker.post('/sandboxes', { metadata: { name: 'thief' }, spec });
      note(`the api is asked for it by its ${what}`, 'api', 'refused', `${status} ${body.message}`);
      expect([what, status, body.message]).toEqual([what, 400, expect.stringContaining('spec.runtime.image')]);
    }
    // Bypasses the api: the machine holds the files, and only the runner protects them.
    await Promise.all(
      Object.entries(names).map(async ([what, named]) => {
        const outcome = await attacked.sandbox('runc', 1, 128, { image: named }).then(
          ({ address }) => `runs at ${address}`,
          (error: Error) => error.message.split('\n', 1)[0] ?? '',
        );
        note(`the runner is asked for it by its ${what}`, 'runc', 'refused', outcome);
        const refusal = /^The instance is failed: .*(refuses to give us|is not the name of an image)/;
        expect([what, outcome]).toEqual([what, expect.stringMatching(refusal)]);
      }),
    );
    await takeBack(attacked.fleet, owner.id);
  });
}

export function browserAndKeyAttacks(bedOf: () => AttackedMachine, note: Note): void {
  /** A sandbox of each tenant, `mine` and `theirs`, with a page on a private preview. */
  const places = { mine: 'one', theirs: 'two' } as const;
  type Name = keyof typeof places;
  const own: Record<Name, string> = { mine: '', theirs: '' };
  const previews: Record<Name, { host: string; token: string }> = {
    mine: { host: '', token: '' },
    theirs: { host: '', token: '' },
  };
  const gateway = () => `http://127.0.0.1:${bedOf().gateway.port}`;
  const bearer = (key = bedOf().fleet.key) => ({ authorization: `Bearer ${key}` });
  const send = (host: string, asked: HostRequest = {}) => sendToHost(gateway(), host, asked);
  const client = (name: Name): Client => clientOf(bedOf().fleet, places[name]);
  const json = { 'content-type': 'application/json' };

  async function make(name: Name): Promise<void> {
    const runtime = { image, memory: 512, ports: [{ target: pagePort, protocol: 'HTTP' }] };
    const made = await client(name).post('/sandboxes', { metadata: { name }, spec: { runtime } });
    expect([made.status, made.body.status], made.text).toEqual([200, 'DEPLOYED']);
    own[name] = new URL(made.body.metadata.url).host;
    const page = { command: `node /page.mjs ${pagePort}`, waitForPorts: [pagePort] };
    const started = await send(own[name], {
      ...{ method: 'POST', path: '/process', headers: { ...bearer(), ...json }, body: JSON.stringify(page) },
    });
    expect(started.status, started.text).toBe(200);
    const path = `/sandboxes/${name}/previews`;
    const preview = await client(name).post(path, { metadata: { name: 'page' }, spec: { port: pagePort } });
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const token = await client(name).post(`${path}/page/tokens`, {
      metadata: { name: 'visitor' },
      spec: { expiresAt },
    });
    previews[name] = { host: new URL(preview.body.spec.url).host, token: token.body.spec.token };
  }

  beforeAll(async () => {
    await bedOf().fleet.orchestrator.start();
    await Promise.all([make('mine'), make('theirs')]);
  });

  test('cookie attack: a page sets no cookie that a neighbour’s page is sent', async () => {
    const { host } = previews.mine;
    const domain = host.split('.').slice(1).join('.');
    const cookies = [
      `${tokenCookie}=planted; Domain=${domain}; Path=/`,
      `${tokenCookie}=planted; domain=.localhost; path=/; Secure`,
      'session=planted; Path=/',
    ];
    const query = new URLSearchParams(cookies.map((cookie): [string, string] => ['cookie', cookie])).toString();
    const placesOfIt = {
      preview: { host, path: `/?${query}`, headers: { [tokenHeader]: previews.mine.token } },
      'host of the sandbox': { host: own.mine, path: `/port/${pagePort}/?${query}`, headers: bearer() },
      'path at the gateway': {
        ...{ host: new URL(gateway()).host, path: `/one/sandboxes/mine/port/${pagePort}/?${query}`, headers: bearer() },
      },
    };
    for (const [what, { host: at, ...asked }] of Object.entries(placesOfIt)) {
      const { status, headers } = await send(at, asked);
      const planted = (headers['set-cookie'] ?? []).filter((cookie) => cookie.includes('=planted'));
      expect([what, status, planted.length]).toEqual([what, 200, cookies.length]);
      const reaching = planted.filter((cookie) => /;\s*domain=/i.test(cookie));
      note(`cookies for all below ${domain}, ${what}`, 'gateway', 'refused', reaching.join() || 'kept to its host');
      expect([what, reaching]).toEqual([what, []]);
      if (what !== 'path at the gateway') continue;
      // Neighbours share this host name: the path separates their cookies, and an opaque origin keeps scripts from
      // reading the data of neighbours.
      for (const cookie of planted) expect(cookie).toMatch(/; ?path=\/one\/sandboxes\/mine(\/|;|$)/i);
      expect(headers['content-security-policy']).toMatch(/^sandbox (?!.*allow-same-origin)/);
    }
  });

  test('cookie attack: a page does not ride the cookie of a neighbour’s preview', async () => {
    const { host, token } = previews.theirs;
    const ride = (asked: HostRequest) =>
      send(host, { ...asked, headers: { cookie: `${tokenCookie}=${token}`, ...asked.headers } });
    const foreign = { origin: `https://${previews.mine.host}`, 'sec-fetch-site': 'same-site' };
    const upgrade = { connection: 'Upgrade', upgrade: 'page' };
    const rides: Record<string, HostRequest> = {
      'a write of a neighbour’s page': { method: 'POST', headers: foreign },
      'a form of a neighbour’s page': {
        method: 'POST',
        headers: { ...foreign, 'content-type': 'text/plain' },
        body: 'x',
      },
      'a WebSocket of a neighbour’s page': { headers: { ...foreign, ...upgrade } },
      'a page without an origin': { method: 'DELETE', headers: { origin: 'null' } },
    };
    for (const [what, asked] of Object.entries(rides)) {
      const { status } = await ride(asked);
      note(what, 'gateway', 'refused', String(status));
      expect([what, status]).toEqual([what, 403]);
    }
    // The visitor's own request with the same cookie succeeds, so the cookie is valid. The page itself never receives
    // it.
    const self = { origin: `http://${host}`, 'sec-fetch-site': 'same-origin' };
    const used = await ride({ method: 'POST', headers: { ...self, cookie: `a=1; ${tokenCookie}=${token}` } });
    expect([used.status, bodyOf(used).headers.cookie]).toEqual([200, 'a=1']);
    // A token of one preview is not valid at another.
    for (const value of [previews.mine.token, 'planted'])
      expect((await send(host, { headers: { cookie: `${tokenCookie}=${value}` } })).status).toBe(401);
  });

  test('scoped-key attack: a key without sandboxes:call opens neither a sandbox nor a preview', async () => {
    const keyWith = async (...scopes: string[]): Promise<string> =>
      (await client('mine').post('/profile/api_keys', { scopes })).body.apiKey;
    const actions = ['control', 'create', 'delete', 'get', 'list', 'update'];
    const narrow = await keyWith(...actions.map((action) => `sandboxes:${action}`), 'agents:call', 'functions:call');
    const calling = await keyWith('sandboxes:call');
    const shared = new URL(gateway()).host;
    const doors: Record<string, [host: string, path: string]> = {
      'its API by host': [own.mine, '/health'],
      'its API by path': [shared, '/one/sandboxes/mine/health'],
      'a port by host': [own.mine, `/port/${pagePort}/`],
      'a port by path': [shared, `/one/sandboxes/mine/port/${pagePort}/`],
    };
    for (const [what, [host, path]] of Object.entries(doors)) {
      const refused = await send(host, { path, headers: bearer(narrow) });
      note(`${what}, with a key without the scope`, 'gateway', 'refused', String(refused.status));
      expect([what, refused.status]).toEqual([what, 403]);
      expect(refused.text).toContain('sandboxes:call');
      expect([what, (await send(host, { path, headers: bearer(calling) })).status]).toEqual([what, 200]);
    }
    // A preview accepts only its tokens, and the narrow key can neither create nor read them.
    const { host, token } = previews.mine;
    for (const key of [narrow, calling]) expect((await send(host, { headers: bearer(key) })).status).toBe(401);
    const limited = client('mine').with({ key: narrow });
    const path = '/sandboxes/mine/previews';
    const attempts = [
      await limited.post(path, { metadata: { name: 'door' }, spec: { port: 443, public: true } }),
      await limited.put(`${path}/page`, { metadata: { name: 'page' }, spec: { port: 443, public: true } }),
      await limited.post(`${path}/page/tokens`, { metadata: { name: 'own' }, spec: {} }),
      await limited.get(`${path}/page/tokens`),
    ];
    for (const { status, text } of attempts) {
      note('a preview, with a key without the scope', 'api', 'refused', String(status));
      expect([status, text]).toEqual([403, expect.stringContaining('sandboxes:call')]);
    }
    expect((await send(host, { headers: { [tokenHeader]: token } })).status).toBe(200);
  });
}
