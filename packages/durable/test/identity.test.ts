// Only the Restate whose key the handlers know may call them, even if others can reach their port.
import { generateKeyPairSync } from 'node:crypto';
import { connect } from 'node:http2';
import { createSender, defineHandler, startHandlers } from '@berth/durable';
import { PlacementConfig } from '@berth/instances';
import { OrchestratorConfig, startOrchestrator } from '@berth/orchestrator';
import { createMetricsRegistry } from '@berth/telemetry';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createTestDatabase } from '../../../engines/test-database.ts';
import { startTestRestate } from '../../../engines/test-restate.ts';
import { conformanceBrand } from '../../../tests/harness/conformance-brand.ts';
import { identityKeyOf } from '../../../tests/harness/identity-key.ts';
import { testMasterKeys } from '../../../tests/harness/test-api.ts';
import { until } from '../../../tests/harness/until.ts';
import { silent } from './work.ts';

function call(url: string, path: string): Promise<number> {
  const session = connect(url);
  return new Promise<number>((resolve, reject) => {
    session.on('error', reject);
    const stream = session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/vnd.restate.invocation.v5',
    });
    stream.on('response', (headers) => resolve(headers[':status'] ?? 0)).on('error', reject);
    stream.end();
  }).finally(() => session.destroy());
}

test('with an identity key the handlers serve the Restate that signs with it, and refuse every other caller', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const identityPem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  await using restate = await startTestRestate({ identityPem });
  const handled: string[] = [];
  const probe = defineHandler({
    name: 'probe',
    input: z.object({}),
    handle: async ({ key }) => void handled.push(key),
  });
  const shared = { handlers: [probe], adminUrl: restate.adminUrl, port: 0, logger: silent };
  const handlers = await startHandlers({ ...shared, identityKeys: [identityKeyOf(publicKey)] });
  try {
    await createSender({ ingressUrl: restate.ingressUrl }).send(probe, 'signed', {});
    await until(() => handled.includes('signed'));
    expect(await call(handlers.url, '/invoke/probe/run')).toBe(401);
    expect(await call(handlers.url, '/discover')).toBe(401);
    expect(handled).toEqual(['signed']);
  } finally {
    await handlers.stop();
  }
  await using database = await createTestDatabase();
  const orchestrator = await startOrchestrator({
    databaseUrl: database.url,
    masterKeys: testMasterKeys(),
    restate,
    config: OrchestratorConfig.parse({ port: 0, identityKeys: [identityKeyOf(publicKey)] }),
    placement: PlacementConfig.parse({}),
    limits: { limits: {}, tiers: {} },
    scaling: { requestsPerInstance: 10, idleSeconds: 2, mostInstances: 5 },
    brand: conformanceBrand(),
    regions: [{ name: 'local', continent: 'eu', country: 'de' }],
    gatewayUrl: 'https://run.example.org',
    logger: silent,
    registry: createMetricsRegistry({ role: 'orchestrator' }),
  });
  try {
    expect(await call(orchestrator.address, '/discover')).toBe(401);
    expect((await orchestrator.ready()).ready).toBe(true);
  } finally {
    await orchestrator.stop();
  }
});
