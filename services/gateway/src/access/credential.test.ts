import { defaultBrand } from '@berth/contract';
import { expect, test } from 'vitest';
import { credentialIn } from './credential.ts';

const agent = { by: 'path', workspace: 'main', kind: 'agent', name: 'a', path: '/terminal?token=x' } as const;
const credential = (...raw: string[]) => credentialIn(agent, raw, defaultBrand);

test('the branded header wins over Authorization', () => {
  expect(credential('Authorization', 'Bearer a', 'x-service-AUTHORIZATION', 'bearer b')).toEqual({
    place: 'branded',
    bearer: 'b',
    isOurs: true,
  });
  expect(credential('authorization', 'Bearer service_abc')).toEqual({
    place: 'authorization',
    bearer: 'service_abc',
    isOurs: true,
  });
  expect(credential('authorization', 'Bearer other')).toMatchObject({ bearer: 'other', isOurs: false });
  expect(credential('Cookie', 'a=b')).toBeUndefined();
});

test.each([
  [['Authorization', 'Basic eDp5']],
  [['Authorization', 'Bearer']],
  [['Authorization', 'Bearer a b']],
  [['Authorization', 'Bearer a', 'Authorization', 'Bearer a']],
  [['X-Service-Authorization', '', 'Authorization', 'Bearer a']],
])('a header that does not hold one bearer value is no good: %j', (raw) => {
  expect(credential(...raw)).toMatchObject({ bearer: undefined });
});

test('a terminal of a sandbox takes its credential from the query when no header has one', () => {
  const path = '/terminal/ws?token=service_abc';
  const sandbox = { by: 'path', workspace: 'main', kind: 'sandbox', name: 's', path } as const;
  const host = { by: 'host', region: 'eu', label: 'sbx-s-main', path } as const;
  for (const route of [sandbox, host])
    expect(credentialIn(route, [], defaultBrand)).toEqual({ place: 'query', bearer: 'service_abc', isOurs: true });
  expect(credentialIn(sandbox, ['Authorization', 'Bearer x'], defaultBrand)).toMatchObject({ place: 'authorization' });
  const twice = { ...sandbox, path: '/terminal?token=a&token=b' };
  expect(credentialIn(twice, [], defaultBrand)).toMatchObject({ bearer: undefined });
  expect(credentialIn({ ...host, label: 'agt-s-main' }, [], defaultBrand)).toBeUndefined();
});
