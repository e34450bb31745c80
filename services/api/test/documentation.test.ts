import { openApiDocument } from '@berth/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { conformanceBrand } from '../../../tests/harness/conformance-brand.ts';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api[Symbol.asyncDispose]());

test('the served OpenAPI document is the contract’s, and needs no credential', async () => {
  const answer = await fetch(`${api.url}/v0/openapi.json`);
  expect(answer.status).toBe(200);
  const expected = openApiDocument({
    brand: conformanceBrand(),
    baseUrl: `${api.url}/v0`,
    apiUrl: api.url,
    gatewayUrl: 'https://run.localhost',
  });
  expect(await answer.json()).toEqual(JSON.parse(JSON.stringify(expected)));
});

test('the reference page loads everything from this server', async () => {
  const page = await (await fetch(`${api.url}/docs/`)).text();
  expect(page).toContain('/v0/openapi.json');
  expect(page).not.toMatch(/https?:\/\/|src="\/\//);
  const scripts = [...page.matchAll(/src="([^"]+)"/g)].map(([, source = '']) => source);
  expect(scripts.length).toBeGreaterThan(0);
  for (const source of scripts) {
    const script = await fetch(new URL(source, `${api.url}/docs/`));
    expect(script.status).toBe(200);
    expect((await script.text()).length).toBeGreaterThan(100_000);
  }
});
