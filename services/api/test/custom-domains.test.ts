import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { conformanceBrand } from '../../../tests/harness/conformance-brand.ts';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';
import { type DnsResponder, startDnsResponder } from './dns-responder.ts';

const { short } = conformanceBrand();
let dns: DnsResponder;
let api: TestApi;
beforeAll(async () => {
  dns = await startDnsResponder();
  api = await startTestApi({
    config: { regions: [{ name: 'one' }, { name: 'two' }], workloadDomain: 'run.example', dnsServers: [dns.address] },
  });
  await api.addWorkspace('other');
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await dns[Symbol.asyncDispose]();
});
beforeEach(() => dns.clear());

const named = (name: string, spec: object = {}) => ({ metadata: { name }, spec });
const register = (name: string, spec: object = {}, client = api.admin) =>
  client.post('/customdomains', named(name, spec));
const verify = (name: string, client = api.admin) => client.post(`/customdomains/${name}/verify`);
const other = () => api.admin.with({ workspace: 'other' });

/** Sets the DNS records that the response asks for, as a customer would. */
function publish(
  domain: { metadata: { name: string }; spec: { cnameRecords: string; txtRecords: object } },
  at?: string,
) {
  for (const [name, value] of Object.entries(domain.spec.txtRecords)) dns.set('TXT', name, 'unrelated', value);
  dns.set('CNAME', at ?? domain.metadata.name, domain.spec.cnameRecords);
}

test('a new domain is pending and says which records to set', async () => {
  const { body } = await register('new.example.com', { region: 'two', status: 'verified', txtRecords: {} });
  expect(body.spec).toEqual({
    region: 'two',
    status: 'pending',
    cnameRecords: 'two.cname.run.example',
    txtRecords: {
      [`_${short}-verify.new.example.com`]: expect.stringMatching(new RegExp(`^${short}-domain-verify=[0-9a-f]{32}$`)),
    },
  });
  expect((await api.admin.get('/customdomains/new.example.com')).body).toEqual(body);
  const sentBack = await api.admin.put('/customdomains/new.example.com', body);
  expect(sentBack.body.spec).toEqual(body.spec);
});

test('a domain whose records are there is verified, by its own CNAME or by a wildcard below it', async () => {
  const direct = (await register('direct.example.com')).body;
  publish(direct);
  const verified = (await verify('direct.example.com')).body;
  expect(verified.spec.status).toBe('verified');
  expect(Date.parse(verified.spec.lastVerifiedAt)).toBeGreaterThan(0);
  expect((await api.admin.get('/customdomains/direct.example.com')).body).toEqual(verified);
  const wildcard = (await register('wild.example.com')).body;
  publish(wildcard, '*.wild.example.com');
  expect((await verify('wild.example.com')).body.spec.status).toBe('verified');
});

test('a missing record fails the domain, saying which and what to set; it can be verified later', async () => {
  const domain = (await register('late.example.com')).body;
  const [[txtName, txtValue] = []] = Object.entries<string>(domain.spec.txtRecords);
  const none = (await verify('late.example.com')).body.spec;
  expect(none.status).toBe('failed');
  expect(none.verificationError).toBe(
    `The TXT record ${txtName} is missing. Set it to ${txtValue}. ` +
      'The CNAME record of late.example.com or *.late.example.com is missing. Set it to one.cname.run.example.',
  );
  dns.set('TXT', txtName ?? '', txtValue ?? '');
  dns.set('CNAME', 'late.example.com', 'elsewhere.example.net');
  const half = (await verify('late.example.com')).body.spec;
  expect([half.status, half.verificationError]).toEqual(['failed', expect.not.stringContaining('TXT')]);
  dns.set('CNAME', 'late.example.com', 'ONE.cname.run.example');
  const done = (await verify('late.example.com')).body.spec;
  expect([done.status, done.verificationError]).toEqual(['verified', undefined]);
});

test('the secret of another registration does not verify a domain', async () => {
  const domain = (await register('stolen.example.com')).body;
  dns.set('TXT', `_${short}-verify.stolen.example.com`, `${short}-domain-verify=${'0'.repeat(32)}`);
  dns.set('CNAME', 'stolen.example.com', domain.spec.cnameRecords);
  expect((await verify('stolen.example.com')).body.spec.status).toBe('failed');
});

test('a domain belongs to one workspace of the deployment, and the refusal does not name that workspace', async () => {
  await register('owned.example.com');
  const refused = await register('owned.example.com', {}, other());
  expect([refused.status, refused.body.error]).toEqual([409, 'domain_taken']);
  expect(refused.body.message).toBe(
    'The domain owned.example.com, or one above it, is registered already. Remove it where it is registered, or choose another domain.',
  );
  expect((await register('owned.example.com')).status).toBe(409);
  await api.admin.delete('/customdomains/owned.example.com');
  expect((await register('owned.example.com', {}, other())).status).toBe(200);
});

test('when many workspaces ask for one domain at once, one gets it', async () => {
  const asked = Array.from({ length: 10 }, (_, index) =>
    register('raced.example.com', {}, index % 2 === 0 ? api.admin : other()),
  );
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  expect(statuses.filter((status) => status === 409)).toHaveLength(9);
});

test('a verified domain covers its subdomains; an unverified domain covers nothing', async () => {
  const parent = (await register('parent.example.org')).body;
  const early = await register('early.parent.example.org', {}, other());
  expect(early.status).toBe(200);
  publish(parent);
  await verify('parent.example.org');
  expect((await register('late.parent.example.org', {}, other())).body.error).toBe('domain_taken');
  expect((await register('mine.parent.example.org')).status).toBe(200);
  publish(early.body);
  expect((await verify('early.parent.example.org', other())).body.error).toBe('domain_taken');
});

test('when DNS gives no answer, the verdict stays as it was', async () => {
  await using deaf = await startTestApi({ config: { dnsServers: ['127.0.0.1:1'] } });
  await deaf.admin.post('/customdomains', named('unheard.example.com'));
  const { body } = await deaf.admin.post('/customdomains/unheard.example.com/verify');
  expect([body.spec.status, body.spec.verificationError]).toEqual([
    'pending',
    expect.stringContaining('DNS gave no answer'),
  ]);
});

test('verification is for domains of the workspace', async () => {
  await register('apart.example.com');
  expect((await verify('apart.example.com', other())).status).toBe(404);
  expect((await verify('none.example.com')).status).toBe(404);
});

test('a fallback preview that nothing would answer with is refused; region and type cannot change', async () => {
  await register('fallback.example.com', { domainType: 'previews', fallbackPreviewId: '' });
  const change = (spec: object) =>
    api.admin.put('/customdomains/fallback.example.com', named('fallback.example.com', spec));
  expect((await change({ fallbackPreviewId: 'home' })).body.error).toBe('setting_not_honoured');
  expect((await change({ fallbackPreviewId: '' })).body.spec.fallbackPreviewId).toBeUndefined();
  expect((await change({ region: 'two' })).status).toBe(400);
  expect((await change({ domainType: 'applications' })).status).toBe(400);
});

test('a domain names the previews that answer on it, and only while they are there', async () => {
  const shop = (await register('shop.example.com')).body;
  publish(shop, '*.shop.example.com');
  await verify('shop.example.com');
  await api.admin.post('/sandboxes', named('box', { region: 'one' }));
  const made = await api.admin.post(
    '/sandboxes/box/previews',
    named('beta', { port: 3000, customDomain: 'shop.example.com', prefixUrl: 'beta' }),
  );
  expect(made.status).toBe(200);
  const subdomains = async () => (await api.admin.get('/customdomains/shop.example.com')).body.spec.subdomains;
  expect(await subdomains()).toEqual([
    {
      subdomain: 'beta',
      url: made.body.spec.url,
      previewName: 'beta',
      resourceName: 'box',
      resourceType: 'sandbox',
    },
  ]);
  await api.admin.delete('/sandboxes/box/previews/beta');
  expect(await subdomains()).toBeUndefined();
});

test('an application’s domain is for applications and is bound to it', async () => {
  await api.admin.post('/applications', named('site', { image: 'app/site:1' }));
  const path = '/applications/site/customdomains';
  const { body } = await api.admin.post(path, named('site.example.com'));
  expect(body.spec).toMatchObject({ domainType: 'applications', status: 'pending' });
  const row = await api.database
    .selectFrom('resources')
    .select('state')
    .where('name', '=', 'site.example.com')
    .executeTakeFirstOrThrow();
  expect(row.state).toMatchObject({ application: 'site' });
  expect((await api.admin.post(path, named('p.example.com', { domainType: 'previews' }))).status).toBe(400);
  expect((await api.admin.post('/applications/none/customdomains', named('n.example.com'))).status).toBe(404);
  expect((await api.admin.post(path, named('site.example.com'))).status).toBe(409);
});

test('an application answers only to verified domains of its workspace', async () => {
  const answerTo = (domain: string) =>
    api.admin.post('/applications', named('answering', { image: 'app/site:1', urls: [{ domain }] }));
  const domain = (await register('answer.example.com')).body;
  await register('foreign.example.net', {}, other());
  expect((await answerTo('foreign.example.net')).body.error).toBe('unknown_reference');
  expect((await answerTo('answer.example.com')).body.error).toBe('domain_not_verified');
  publish(domain);
  await verify('answer.example.com');
  expect((await answerTo('answer.example.com')).body.spec.urls).toEqual([{ domain: 'answer.example.com' }]);
});
