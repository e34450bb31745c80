// Previews while PostgreSQL is away.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DatabaseLine, openDatabaseLine } from '../../../tests/harness/database-line.ts';
import { createPreviewGate, type PreviewGate } from '../src/previews/preview-gate.ts';
import { createTokenLookup } from '../src/previews/token-lookup.ts';
import type { PreviewRoute } from '../src/routing/route.ts';
import { createWorkloadCache } from '../src/routing/workload-cache.ts';
import { silent } from './api-with-workloads.ts';
import { brand, type GatewayWithPreviews, startGatewayWithPreviews, tokenHeader } from './gateway-with-previews.ts';

let gateway: GatewayWithPreviews;
let line: DatabaseLine;
let gate: PreviewGate;
let catalogue: ReturnType<typeof createWorkloadCache>;
/** Advances the clock of the gateway's caches. */
let skipped = 0;

beforeAll(async () => {
  gateway = await startGatewayWithPreviews(() => ({}));
  line = await openDatabaseLine(gateway.api.databaseUrl);
  const now = () => performance.now() + skipped;
  catalogue = createWorkloadCache({ database: line.database, databaseUrl: line.url, logger: silent, now });
  const lane = { maxWaiting: 4 };
  gate = createPreviewGate({
    cache: catalogue,
    brand,
    lookUpToken: createTokenLookup({ database: line.database, lane }),
  });
  await gateway.sandbox('box');
});
afterAll(async () => {
  await catalogue.close();
  await line[Symbol.asyncDispose]();
  await gateway[Symbol.asyncDispose]();
});

test.each(['cut', 'silent'] as const)(
  'a known token of a known preview passes for a minute while PostgreSQL is %s, one that is not known is told 503',
  async (state) => {
    const host = await gateway.preview('box', state);
    const named: PreviewRoute = { by: 'preview', region: 'local', label: host.split('.')[0] ?? '', path: '/' };
    const token = await gateway.token('box', state);
    const enter = async (value: string) => {
      const entered = await gate
        .admit(named, { method: 'GET', rawHeaders: [tokenHeader, value] }, () => {})
        .catch((error) => error);
      return entered.code ?? 'admitted';
    };
    expect(await enter(token)).toBe('admitted');
    line.become(state);
    skipped += 1_000;
    expect(await enter(token)).toBe('admitted');
    expect(await enter('unknown')).toBe('PLATFORM_UNAVAILABLE');
    skipped += 61_000;
    expect(await enter(token)).toBe('PLATFORM_UNAVAILABLE');
    line.become('open');
    await expect.poll(() => enter('unknown')).toBe('AUTHENTICATION_FAILED');
    expect(await enter(token)).toBe('admitted');
  },
);
