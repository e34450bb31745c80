// Previews while PostgreSQL is away.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPreviewGate, type PreviewGate } from '../../services/gateway/src/previews/preview-gate.ts';
import { createTokenLookup } from '../../services/gateway/src/previews/token-lookup.ts';
import type { PreviewRoute } from '../../services/gateway/src/routing/route.ts';
import { createWorkloadCache } from '../../services/gateway/src/routing/workload-cache.ts';
import { type Line, openLine, silent } from './bed.ts';
import { brand, makePreviewBed, type PreviewBed, tokenHeader } from './preview-bed.ts';

let bed: PreviewBed;
let line: Line;
let gate: PreviewGate;
let catalogue: ReturnType<typeof createWorkloadCache>;
/** Advances the clock of the gateway's caches. */
let skipped = 0;

beforeAll(async () => {
  bed = await makePreviewBed(() => ({}));
  line = await openLine(bed.api.databaseUrl);
  const now = () => performance.now() + skipped;
  catalogue = createWorkloadCache({ database: line.database, databaseUrl: line.url, logger: silent, now });
  const lane = { maxWaiting: 4 };
  gate = createPreviewGate({
    cache: catalogue,
    brand,
    lookUpToken: createTokenLookup({ database: line.database, lane }),
  });
  await bed.sandbox('box');
});
afterAll(async () => {
  await catalogue.close();
  await line[Symbol.asyncDispose]();
  await bed[Symbol.asyncDispose]();
});

test.each(['cut', 'silent'] as const)(
  'a known token of a known preview passes for a minute while PostgreSQL is %s, one that is not known is told 503',
  async (state) => {
    const host = await bed.preview('box', state);
    const named: PreviewRoute = { by: 'preview', region: 'local', label: host.split('.')[0] ?? '', path: '/' };
    const token = await bed.token('box', state);
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
