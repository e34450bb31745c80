import { expect, test } from 'vitest';
import { PlacementConfig } from './config.ts';

const gatewayUrl = (url: string) => PlacementConfig.safeParse({ jobs: { gatewayUrl: url } });

test('the gateway’s address for tasks has a scheme and a host, and no path', () => {
  for (const url of ['https://run.example.com', 'http://100.96.0.1:8090', 'https://run.example.com/'])
    expect(gatewayUrl(url).success).toBe(true);
  for (const url of [
    'run.example.com',
    'ftp://run.example.com',
    'https://run.example.com/x',
    'https://run.example.com/?a',
    'https://user:pass@run.example.com',
  ])
    expect([url, gatewayUrl(url).success]).toEqual([url, false]);
});

test('without settings the address for tasks is left to the deployment', () => {
  expect(PlacementConfig.parse({}).jobs).toEqual({ memoryShare: 0.8 });
});
