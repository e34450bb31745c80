import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { modelProviders } from '@berth/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { conformanceBrand } from '../../../tests/harness/conformance-brand.ts';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';
import { isKnownIntegration } from '../src/integrations/catalogue.ts';
import { hubImageFor } from '../src/platform/mcp-hub.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const versions = ['2026-04-16', '2026-04-20', '2026-04-28'];
const root = resolve(import.meta.dirname, '../../..');

describe('templates', () => {
  test.each(versions)('the list is a bare array in version %s', async (version) => {
    const { body } = await api.admin.with({ version }).get('/templates');
    expect(body.map(({ name }: { name: string }) => name)).toEqual(['agent-http', 'batch-job', 'mcp-server']);
  });

  test('every field is there and true: the folder exists, the counts are 0, the topics say kind and language', async () => {
    const { body } = await api.admin.get('/templates');
    for (const template of body) {
      for (const field of ['name', 'description', 'defaultBranch', 'sha', 'url', 'icon', 'iconDark'])
        expect(template[field], field).toEqual(expect.stringMatching(/./));
      expect(template.sha).toMatch(/^[0-9a-f]{64}$/);
      expect([template.downloadCount, template.forksCount, template.starCount]).toEqual([0, 0, 0]);
      expect(['agent', 'mcp', 'job']).toContain(template.topics[0]);
      expect(['typescript', 'python']).toContain(template.topics[1]);
      for (const variable of template.variables)
        expect(variable).toEqual({
          name: expect.any(String),
          description: expect.any(String),
          integration: expect.any(String),
          path: expect.any(String),
          secret: expect.any(Boolean),
        });
      for (const file of ['template.yaml', 'Dockerfile', 'README.md', 'package.json'])
        expect(existsSync(resolve(root, template.url, file)), `${template.url}/${file}`).toBe(true);
    }
  });

  test('all files of a template are read, but those that only the catalogue shows', async () => {
    const [first] = (await api.admin.get('/templates')).body;
    const { body } = await api.admin.get(`/templates/${first.name}/files`);
    const paths = body.files.map(({ path }: { path: string }) => path);
    expect(paths).toEqual(expect.arrayContaining(['Dockerfile', 'README.md', 'package.json']));
    expect(paths).not.toContain('template.yaml');
    for (const { path, content } of body.files)
      expect(readFileSync(resolve(root, first.url, path)).equals(Buffer.from(content, 'base64'))).toBe(true);
    expect((await api.admin.get('/templates/nothing/files')).status).toBe(404);
  });

  test('one template is read by name, an unknown name is 404', async () => {
    const [first] = (await api.admin.get('/templates')).body;
    expect((await api.admin.get(`/templates/${first.name}`)).body).toEqual(first);
    for (const name of ['nothing', '..', 'agent-http%2F..%2Fbatch-job', '__proto__'])
      expect((await api.admin.get(`/templates/${name}`)).status).toBe(404);
  });

  test('the catalogue cannot be written', async () => {
    const before = (await api.admin.get('/templates')).body;
    const body = { name: 'mine' };
    const statuses = await Promise.all([
      api.admin.post('/templates', body),
      api.admin.put('/templates/agent-http', body),
      api.admin.delete('/templates/agent-http'),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([405, 405, 405]);
    expect((await api.admin.get('/templates')).body).toEqual(before);
  });

  test('a caller without a credential is refused, one without a workspace is not', async () => {
    expect((await api.admin.with({ key: undefined }).get('/templates')).status).toBe(401);
    const nobody = await api.user();
    expect((await nobody.client.get('/templates')).status).toBe(200);
  });
});

describe('hubs', () => {
  test('no entry of the MCP hub claims an image: those without one say that they are coming', async () => {
    const { body } = await api.admin.get('/mcp/hub');
    expect(body.length).toBeGreaterThan(30);
    for (const entry of body) {
      expect(entry.coming_soon, entry.name).toBe(!('image' in entry));
      expect(entry).toMatchObject({ transport: 'http-stream', form: { secrets: expect.any(Object) } });
      if (entry.integration !== undefined) expect(Object.keys(entry.form.secrets), entry.name).not.toEqual([]);
    }
  });

  test('the hub says whether it knows an integration, and has no image to give yet', () => {
    expect(hubImageFor('github')).toEqual({ image: undefined });
    expect(hubImageFor('nobody')).toBeUndefined();
  });

  test('sandbox images stand below the name of the brand and are marked as coming', async () => {
    const { body } = await api.admin.get('/sandbox/hub');
    expect(body).toHaveLength(20);
    for (const entry of body)
      expect(entry).toMatchObject({
        image: `${conformanceBrand().short}/${entry.name}:latest`,
        coming_soon: true,
        memory: expect.any(Number),
        ports: expect.any(Array),
      });
  });
});

describe('integrations', () => {
  const providers = modelProviders.filter((name) => name !== 'mcp' && name !== 'public_model');

  test.each(providers)('the provider %s is described with its endpoints', async (name) => {
    const { body } = await api.admin.get(`/integrations/${name}`);
    expect(body).toMatchObject({ name, additionalInfos: { type: 'model' } });
    expect(Object.keys(body.endpoints).length).toBeGreaterThan(0);
  });

  test('a provider is described by the first path of each number, and by the names that a connection takes', async () => {
    const { body } = await api.admin.get('/integrations/openai');
    expect(body.endpoints['/v1/responses']).toEqual({
      method: 'POST',
      streamKey: 'stream',
      token: { sent: 'usage.input_tokens', received: 'usage.output_tokens' },
      streamToken: { sent: 'response.usage.input_tokens', received: 'response.usage.output_tokens' },
    });
    expect([body.additionalInfos.baseUrl, Object.keys(body.params)]).toEqual([
      'https://api.openai.com',
      ['API_KEY', 'OPENAI_API_KEY'],
    ]);
    const anthropic = (await api.admin.get('/integrations/anthropic')).body;
    expect(anthropic.headers).toEqual({ 'anthropic-version': '2023-06-01' });
    const azure = (await api.admin.get('/integrations/azure-openai-service')).body.params;
    expect(Object.keys(azure)).toEqual([
      'API_KEY',
      'AZURE_OPENAI_SERVICE_API_KEY',
      'BASE_URL',
      'DEPLOYMENT',
      'API_VERSION',
    ]);
    expect(azure.API_VERSION).toContain('2024-10-21 when it is left out');
    expect((await api.admin.get('/integrations/vertexai')).body.additionalInfos.unserved).toContain('signed tokens');
  });

  test('every integration of the hub is known, an unknown one is 404', async () => {
    for (const { integration } of (await api.admin.get('/mcp/hub')).body)
      if (integration !== undefined) expect(isKnownIntegration(integration), integration).toBe(true);
    expect((await api.admin.get('/integrations/slack')).body.additionalInfos.type).toBe('tool');
    expect((await api.admin.get('/integrations/nobody')).status).toBe(404);
    expect(isKnownIntegration('constructor')).toBe(false);
  });

  test('a connection offers the endpoints of its provider, a missing connection is 404', async () => {
    for (const [name, integration] of [
      ['ai', 'openai'],
      ['chat', 'slack'],
    ])
      await api.admin.post('/integrations/connections', {
        metadata: { name },
        spec: { integration, secret: { KEY: 'value' } },
      });
    const { body } = await api.admin.get('/integrations/connections/ai/endpointConfigurations');
    expect(body['/v1/chat/completions']).toMatchObject({ method: 'POST', token: { sent: 'usage.prompt_tokens' } });
    expect((await api.admin.get('/integrations/connections/chat/endpointConfigurations')).body).toEqual({});
    expect((await api.admin.get('/integrations/connections/none/endpointConfigurations')).status).toBe(404);
  });
});
