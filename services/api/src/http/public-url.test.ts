import { expect, test } from 'vitest';
import { ApiConfig, gatewayUrl } from '../config.ts';
import { publicUrl } from './public-url.ts';

test('an address names a port only where the operator sets one', () => {
  expect(publicUrl('a.example', ApiConfig.parse({}))).toBe('https://a.example');
  const local = ApiConfig.parse({ workloadScheme: 'http', workloadPort: 8090 });
  expect(publicUrl('a.localhost', local)).toBe('http://a.localhost:8090');
});

test('the gateway’s own address is below the domain of workloads', () => {
  expect(gatewayUrl(ApiConfig.parse({ workloadDomain: 'example.com' }))).toBe('https://run.example.com');
});
