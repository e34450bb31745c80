import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytesPerMb } from '@berth/contract/guest';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { serveGuestInProcess } from '../../../tests/harness/guest-in-process.ts';
import { completion, serveModel } from './apply-model.ts';
import { connectMcpClient } from './mcp-client.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'codegen-'));
});
afterEach(() => rm(folder, { recursive: true }));

const served = (variables: Record<string, string>) =>
  serveGuestInProcess({ DISABLE_REQUEST_LOGGING: 'true', ...variables }, folder);

async function apply(url: string, path: string, body: unknown) {
  const response = await fetch(`${url}/codegen/fastapply/${path}`, { method: 'PUT', body: JSON.stringify(body) });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}

test('U-09 without a provider an edit is 503 and names the variables', async () => {
  await using guest = await served({});
  const { status, body } = await apply(guest.url, 'a.ts', { codeEdit: 'x' });
  expect(status).toBe(503);
  for (const name of [
    'SANDBOX_APPLY_URL',
    'SANDBOX_APPLY_KEY',
    'SANDBOX_APPLY_MODEL',
    'RELACE_API_KEY',
    'MORPH_API_KEY',
  ])
    expect(body.error).toContain(name);
});

test('an edit is merged by the configured model and written with the mode kept', async () => {
  await using model = await serveModel(async () => [200, completion('const a = 2;\n')]);
  await using guest = await served({
    SANDBOX_APPLY_URL: `${model.url}/v1`,
    SANDBOX_APPLY_KEY: 'secret',
    SANDBOX_APPLY_MODEL: 'merge-1',
  });
  await writeFile(join(folder, 'a.ts'), 'const a = 1;\n', { mode: 0o600 });
  const { status, body } = await apply(guest.url, 'a.ts', { codeEdit: 'const a = 2;' });
  expect(status).toBe(200);
  expect(body).toEqual({
    success: true,
    path: 'a.ts',
    originalContent: 'const a = 1;\n',
    updatedContent: 'const a = 2;\n',
    provider: 'custom',
    message: expect.stringContaining('success'),
  });
  expect(await readFile(join(folder, 'a.ts'), 'utf8')).toBe('const a = 2;\n');
  expect((await stat(join(folder, 'a.ts'))).mode & 0o777).toBe(0o600);
  const [asked] = model.asked;
  expect(asked).toMatchObject({ path: '/v1/chat/completions', authorization: 'Bearer secret' });
  expect(asked?.body.model).toBe('merge-1');
  expect(asked?.body.messages.at(-1)?.content).toContain('<code>const a = 1;\n</code>\n<update>const a = 2;</update>');
});

test('a file that is missing is created, a model of the caller is used, fences of a general model are removed', async () => {
  await using model = await serveModel(async () => [200, completion('```ts\nnew\n```')]);
  await using guest = await served({ SANDBOX_APPLY_URL: model.url });
  const { status, body } = await apply(guest.url, 'sub/new.ts', { codeEdit: 'new', model: 'theirs' });
  expect(status).toBe(200);
  expect(body.originalContent).toBe('');
  expect(await readFile(join(folder, 'sub/new.ts'), 'utf8')).toBe('new\n');
  expect(model.asked[0]?.body.model).toBe('theirs');
});

test('RELACE_API_KEY comes before MORPH_API_KEY, and RELACE_BASE_URL moves it', async () => {
  await using model = await serveModel(async () => [200, completion('merged')]);
  await using guest = await served({ RELACE_API_KEY: 'r', RELACE_BASE_URL: `${model.url}/apply`, MORPH_API_KEY: 'm' });
  const { body } = await apply(guest.url, 'a.ts', { codeEdit: 'x' });
  expect(body.provider).toBe('relace');
  expect(model.asked[0]).toMatchObject({ path: '/apply/chat/completions', authorization: 'Bearer r' });
  expect(model.asked[0]?.body.messages).toHaveLength(1);
});

test('a directory is 400, a missing codeEdit is 400, too large a file is 413', async () => {
  await using guest = await served({ SANDBOX_APPLY_URL: 'http://127.0.0.1:9' });
  expect((await apply(guest.url, '', { codeEdit: 'x' })).status).toBe(400);
  expect((await apply(guest.url, 'a.ts', {})).status).toBe(400);
  await writeFile(join(folder, 'big'), Buffer.alloc(5 * bytesPerMb, 'a'));
  expect((await apply(guest.url, 'big', { codeEdit: 'x' })).status).toBe(413);
});

test('whatever the provider does wrong is 422, the file stays as it was, and the key is never told', async () => {
  const answers: [number, unknown][] = [
    [500, 'overloaded'],
    [401, { error: 'bad key' }],
    [302, ''],
    [200, 'not json'],
    [200, { choices: [] }],
    [200, completion('')],
    [200, completion('half of the fi', 'length')],
    [200, 'x'.repeat(17 * bytesPerMb)],
  ];
  let at = 0;
  await using model = await serveModel(async () => answers[at] ?? [500, '']);
  await using guest = await served({ SANDBOX_APPLY_URL: model.url, SANDBOX_APPLY_KEY: 'secret' });
  await writeFile(join(folder, 'a.ts'), 'original');
  for (at = 0; at < answers.length; at += 1) {
    const { status, body } = await apply(guest.url, 'a.ts', { codeEdit: 'x' });
    expect(status, JSON.stringify(answers[at]).slice(0, 100)).toBe(422);
    expect(body.error).toMatch(/provider custom/);
    expect(body.error).not.toContain('secret');
  }
  expect(model.asked).toHaveLength(answers.length);
  expect(await readFile(join(folder, 'a.ts'), 'utf8')).toBe('original');
});

test('a provider that is not there is 422', async () => {
  await using guest = await served({ SANDBOX_APPLY_URL: 'http://127.0.0.1:9' });
  expect((await apply(guest.url, 'a.ts', { codeEdit: 'x' })).status).toBe(422);
});

test('a file that was changed while the model worked is not overwritten', async () => {
  await writeFile(join(folder, 'a.ts'), 'original');
  await using model = await serveModel(async () => {
    await writeFile(join(folder, 'a.ts'), 'by somebody else');
    return [200, completion('merged')];
  });
  await using guest = await served({ SANDBOX_APPLY_URL: model.url });
  const { status, body } = await apply(guest.url, 'a.ts', { codeEdit: 'x' });
  expect(status).toBe(422);
  expect(body.error).toMatch(/was changed/);
  expect(await readFile(join(folder, 'a.ts'), 'utf8')).toBe('by somebody else');
});

test('reranking is 503 with a reason', async () => {
  await using guest = await served({ SANDBOX_APPLY_URL: 'http://127.0.0.1:9' });
  const response = await fetch(`${guest.url}/codegen/reranking/?query=x`);
  expect(response.status).toBe(503);
  expect(await response.json()).toEqual({ error: expect.stringContaining('/filesystem-content-search') });
});

test('codegenEditFile applies an edit with its instructions; codegenRerank says that it cannot', async () => {
  await using model = await serveModel(async () => [200, completion('merged')]);
  await using guest = await served({ SANDBOX_APPLY_URL: model.url });
  await using mcp = await connectMcpClient(guest.url);
  const edited = await mcp.answer('codegenEditFile', { targetFile: 'a.ts', instructions: 'do it', codeEdit: 'm' });
  expect(edited).toEqual({
    success: true,
    message: expect.stringContaining('success'),
    filePath: 'a.ts',
    changesApplied: 'merged',
  });
  expect(model.asked[0]?.body.messages.at(-1)?.content).toContain('<instruction>do it</instruction>');
  expect(await mcp.failure('codegenEditFile', { targetFile: '.', instructions: '', codeEdit: 'm' })).toMatch(
    /directory/,
  );
  expect(await mcp.failure('codegenRerank', { path: '.', query: 'x' })).toMatch(/ranks files/);
});
