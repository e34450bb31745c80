import { expect, test } from 'vitest';
import { OrchestratorConfig } from './config.ts';

const identityKeys = ['publickeyv1_w7YHemBctH5Ck2nQRQ47iBBqhNHy4FV7t2Usbye2A6f'];

test.each(['127.0.0.1', '127.1.2.3', '::1', 'localhost'])('on %s no identity key is needed', (host) => {
  expect(OrchestratorConfig.parse({ host })).toMatchObject({ host, identityKeys: [] });
});

test.each(['0.0.0.0', '::', '10.0.0.5', '128.0.0.1', 'orchestrator.internal'])(
  'on %s, where others reach it, the handlers are not served without an identity key',
  (host) => {
    const refused = OrchestratorConfig.safeParse({ host });
    expect(refused.error?.issues[0]?.message).toMatch(/orchestrator\.identityKeys/);
    expect(OrchestratorConfig.parse({ host, identityKeys })).toMatchObject({ host, identityKeys });
  },
);

test.each(['', 'publickeyv1_', 'privatekey', `${identityKeys[0]} `])('%j is no identity key', (key) => {
  expect(OrchestratorConfig.safeParse({ identityKeys: [key] }).success).toBe(false);
});
