import { defaultBrand } from '@berth/contract';
import { expect, test } from 'vitest';
import { credentialIn } from './credential.ts';

const credential = (...raw: string[]) => credentialIn(raw, defaultBrand);

test('the branded header comes first', () => {
  expect(credential('Authorization', 'Bearer a', 'x-service-AUTHORIZATION', 'bearer b')).toEqual({
    header: 'branded',
    bearer: 'b',
    isOurs: true,
  });
  expect(credential('authorization', 'Bearer service_abc')).toEqual({
    header: 'authorization',
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
