// What a client has to know before its first request.
import { expect, test } from 'vitest';
import { startTestApi } from '../../../tests/harness/test-api.ts';

test('a stranger learns the brand, the versions and the addresses, and nothing else', async () => {
  await using api = await startTestApi({ config: { workloadDomain: 'run.example', workloadScheme: 'https' } });
  const { status, body } = await api.admin.with({ key: undefined }).get('//.well-known/berth');
  expect(status).toBe(200);
  expect(body).toEqual({
    brand: { long: expect.stringMatching(/\w/), short: expect.stringMatching(/\w/) },
    versions: ['2026-04-16', '2026-04-20', '2026-04-28'],
    apiUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    gatewayUrl: 'https://run.run.example',
    logins: ['key'],
  });
});

test('the operator names the gateway where it has another address', async () => {
  await using api = await startTestApi({ config: { gatewayUrl: 'https://gw.example:8443/' } });
  const { body } = await api.admin.get('//.well-known/berth');
  expect(body.gatewayUrl).toBe('https://gw.example:8443');
});
