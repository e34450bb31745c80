import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { answer, makeAuthority, startListener } from '../../test/test-listener.ts';
import { makeCertificateRequest } from './certificate-request.ts';
import { createNodeClient } from './node-client.ts';

test('a request in progress is answered although the certificate is renewed meanwhile', async () => {
  const authority = await makeAuthority();
  const credentials = async () => {
    const { key, request } = await makeCertificateRequest('a');
    return { authority: authority.certificate, key, certificate: await authority.certify(request, randomUUID()) };
  };
  const renewed = await credentials();
  await using listener = await startListener(authority, (path, _body, caller, response) => {
    if (path === '/slow') client.use(renewed);
    answer(response, 200, { caller });
  });
  const client = createNodeClient(listener.url, await credentials());
  const first = await client.post('/before', {});
  expect((await client.post('/slow', {})).body).toEqual(first.body);
  // Later requests are made with the new certificate.
  const later = await client.post('/after', {});
  expect(later.status).toBe(200);
  expect(later.body).not.toEqual(first.body);
  client.close();
});
