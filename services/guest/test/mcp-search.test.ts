import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { serveGuestInProcess } from '../../../tests/harness/guest-in-process.ts';
import { connectMcpClient } from './mcp-client.ts';

let folder: string;
let guest: Awaited<ReturnType<typeof serveGuestInProcess>>;
let mcp: Awaited<ReturnType<typeof connectMcpClient>>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcp-'));
  guest = await serveGuestInProcess({ DISABLE_REQUEST_LOGGING: 'true' }, folder);
  mcp = await connectMcpClient(guest.url);
});

afterEach(async () => {
  await mcp[Symbol.asyncDispose]();
  await guest[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

async function put(files: Record<string, string | Buffer>) {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
}

type Event = { type: string; data: Record<string, unknown> & { path?: { text: string } } };
async function grep(args: Record<string, unknown>): Promise<Event[]> {
  const { results } = await mcp.answer('codegenGrepSearch', args);
  return String(results)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}
const pathsOf = (events: Event[]) => events.filter(({ type }) => type === 'begin').map(({ data }) => data.path?.text);

test('codegenFileSearch finds names by letters in order, closest first, as absolute paths', async () => {
  await put({ 'src/user-store.ts': '', 'src/ust.ts': '', 'src/deep/ust.ts.bak': '', 'other.md': '' });
  expect(await mcp.answer('codegenFileSearch', { query: 'ust.ts' })).toEqual({
    success: true,
    query: 'ust.ts',
    matches: [join(folder, 'src/ust.ts'), join(folder, 'src/deep/ust.ts.bak'), join(folder, 'src/user-store.ts')],
  });
});

test('codegenFileSearch gives at most 10 paths, from the folder asked for, never from outside', async () => {
  await put(Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`many/a${index}.txt`, ''])));
  await put({ 'few/a.txt': '' });
  const many = await mcp.answer('codegenFileSearch', { query: 'a' });
  expect(many.matches).toHaveLength(10);
  expect((await mcp.answer('codegenFileSearch', { query: 'a', directory: 'few' })).matches).toEqual([
    join(folder, 'few/a.txt'),
  ]);
  expect((await mcp.answer('codegenFileSearch', { query: 'zzz' })).matches).toEqual([]);
  expect(await mcp.failure('codegenFileSearch', { query: 'a', directory: '../' })).toMatch(/outside/);
});

test('codegenGrepSearch gives lines of JSON in the form of ripgrep', async () => {
  await put({ 'b.ts': 'é foo bar foo\r\nnothing\nfoo', 'a.ts': 'none\n' });
  expect(await grep({ query: 'fo+' })).toEqual([
    { type: 'begin', data: { path: { text: 'b.ts' } } },
    {
      type: 'match',
      data: {
        path: { text: 'b.ts' },
        lines: { text: 'é foo bar foo\r\n' },
        line_number: 1,
        absolute_offset: 0,
        submatches: [
          { match: { text: 'foo' }, start: 3, end: 6 },
          { match: { text: 'foo' }, start: 11, end: 14 },
        ],
      },
    },
    {
      type: 'match',
      data: {
        path: { text: 'b.ts' },
        lines: { text: 'foo' },
        line_number: 3,
        absolute_offset: 24,
        submatches: [{ match: { text: 'foo' }, start: 0, end: 3 }],
      },
    },
    { type: 'end', data: { path: { text: 'b.ts' }, binary_offset: null, stats: { matched_lines: 2 } } },
    { type: 'summary', data: { stats: { matched_lines: 2 }, truncated: false } },
  ]);
});

test('codegenGrepSearch: no match is an error', async () => {
  await put({ 'a.ts': 'x' });
  expect(await mcp.failure('codegenGrepSearch', { query: 'needle' })).toMatch(/No line matches needle/);
});

test('codegenGrepSearch tells capitals apart only when asked, and takes globs', async () => {
  await put({ 'a.ts': 'Needle', 'a.js': 'needle', 'sub/b.ts': 'needle' });
  expect(pathsOf(await grep({ query: 'needle' }))).toEqual(['a.js', 'a.ts', 'sub/b.ts']);
  expect(pathsOf(await grep({ query: 'needle', caseSensitive: true }))).toEqual(['a.js', 'sub/b.ts']);
  expect(pathsOf(await grep({ query: 'needle', includePattern: '*.ts' }))).toEqual(['a.ts', 'sub/b.ts']);
  expect(pathsOf(await grep({ query: 'needle', includePattern: 'sub/**' }))).toEqual(['sub/b.ts']);
  expect(pathsOf(await grep({ query: 'needle', excludePattern: '*.ts' }))).toEqual(['a.js']);
});

test('codegenGrepSearch leaves out binaries, hidden files, dependencies and what links point to', async () => {
  await put({
    'bin.dat': Buffer.from('needle\0needle'),
    '.hidden/a': 'needle',
    'node_modules/a/index.js': 'needle',
    'seen.txt': 'needle',
  });
  await symlink('/etc', join(folder, 'link'));
  await symlink(join(folder, 'seen.txt'), join(folder, 'link.txt'));
  expect(pathsOf(await grep({ query: 'needle' }))).toEqual(['seen.txt']);
});

test('codegenGrepSearch finds a line that straddles what is read at once, at its exact place', async () => {
  const before = `${'x'.repeat(99)}\n`.repeat(2621);
  await put({ 'long.txt': `${before}${'y'.repeat(70)}needle${'z'.repeat(70)}\nend\n` });
  const [, found] = await grep({ query: 'needle' });
  expect(found?.data).toMatchObject({
    line_number: 2622,
    absolute_offset: before.length,
    submatches: [{ start: 70, end: 76 }],
  });
});

test('codegenGrepSearch ends at 1000 lines and says so', async () => {
  await put({ 'many.txt': 'needle\n'.repeat(5000) });
  const events = await grep({ query: 'needle' });
  expect(events.filter(({ type }) => type === 'match')).toHaveLength(1000);
  expect(events.at(-1)?.data).toMatchObject({ truncated: true });
});

test('codegenGrepSearch says what is wrong with a pattern', async () => {
  expect(await mcp.failure('codegenGrepSearch', { query: '(' })).toMatch(/not a regular expression/);
});

test('50 searches at once are all served', async () => {
  await put({ 'a.txt': 'needle' });
  const found = await Promise.all(Array.from({ length: 50 }, () => grep({ query: 'needle' })));
  for (const events of found) expect(pathsOf(events)).toEqual(['a.txt']);
});

test('a tool that is not built says so and changes nothing', async () => {
  expect(await mcp.answer('codegenCodebaseSearch', { query: 'x', targetDirectories: ['a'] })).toEqual({
    success: true,
    results: [],
    query: 'x',
  });
  expect(await mcp.answer('codegenReapply', { targetFile: 'a.ts' })).toEqual({
    success: false,
    message: expect.stringMatching(/fsEditFile/),
  });
  expect(
    await mcp.answer('codegenParallelApply', {
      editPlan: 'p',
      editRegions: [{ relativeWorkspacePath: 'a.ts', startLine: 1, endLine: null }],
    }),
  ).toEqual({ success: false, message: expect.stringMatching(/fsEditFile/) });
});

test('callers that leave during a search make room for others', async () => {
  await put({ 'a.txt': `${'a'.repeat(5000)}b`, 'needle.md': 'needle' });
  const leaving = new AbortController();
  const searchWithoutEnd = () =>
    fetch(`${guest.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'codegenGrepSearch', arguments: { query: '^(a+)+$' } },
      }),
      signal: leaving.signal,
    }).catch(() => 'left');
  // Twice as many as may search at once. Each would be terminated after 20 s, and a call waits at most 30 s for its
  // turn: behind this many, the last call is refused unless the callers that left make room.
  const searches = Array.from({ length: 6 }, searchWithoutEnd);
  const waiting = grep({ query: 'needle', includePattern: '*.md' });
  await expect.poll(() => guest.guest.activity.now().open).toBeGreaterThanOrEqual(7);
  leaving.abort();
  expect(await Promise.all(searches)).toEqual(searches.map(() => 'left'));
  expect(pathsOf(await waiting)).toEqual(['needle.md']);
});
