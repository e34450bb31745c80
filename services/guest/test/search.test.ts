import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bytesPerMb } from '@berth/contract/guest';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveGuestInProcess } from '../../../tests/harness/guest-in-process.ts';

const root = mkdtempSync(join(tmpdir(), 'berth-search-'));
const tree = join(root, 'tree');
let guest: Awaited<ReturnType<typeof serveGuestInProcess>>;

const write = (path: string, text: string | Buffer) => {
  mkdirSync(dirname(join(tree, path)), { recursive: true });
  writeFileSync(join(tree, path), text);
};

beforeAll(async () => {
  write('a.ts', 'const one = 1;\nconst Two = 2;\n');
  write('a/inner.ts', 'two\n');
  write('b.md', 'nothing\n');
  write('src/deep/er/file.ts', 'x\n'.repeat(50));
  write('src/Größe.txt', 'ÄRGER\n');
  write('.hidden/secret.ts', 'two\n');
  write('.env', 'TWO=2\n');
  write('node_modules/pkg/index.ts', 'two\n');
  write('binary.bin', Buffer.from('two\0two'));
  write('empty/.keep', '');
  symlinkSync('/nowhere', join(tree, 'dangling'));
  symlinkSync('..', join(tree, 'src/up'));
  execFileSync('mkfifo', [join(tree, 'pipe')]);
  guest = await serveGuestInProcess({ DISABLE_REQUEST_LOGGING: '1' }, tree);
});
afterAll(async () => {
  await guest[Symbol.asyncDispose]();
  rmSync(root, { recursive: true, force: true });
});

type Answer = { matches: { path: string; [field: string]: unknown }[]; total: number; error: string };

async function ask(path: string): Promise<{ status: number; body: Answer; paths: string[] }> {
  const response = await fetch(`${guest.url}${path}`);
  const body: Answer = JSON.parse(await response.text());
  return { status: response.status, body, paths: (body.matches ?? []).map((match) => match.path) };
}

async function timeOf(path: string): Promise<number> {
  const startedAt = performance.now();
  await (await fetch(`${guest.url}${path}`)).arrayBuffer();
  return performance.now() - startedAt;
}

test('find gives files in lexical order, relative to the folder, without hidden and excluded ones', async () => {
  const { status, body } = await ask('/filesystem-find/');
  expect(status).toBe(200);
  const paths = [
    'a/inner.ts',
    'a.ts',
    'b.md',
    'binary.bin',
    'dangling',
    'pipe',
    'src/Größe.txt',
    'src/deep/er/file.ts',
    'src/up',
  ];
  expect(body).toEqual({ matches: paths.map((path) => ({ path, type: 'file' })), total: 9 });
});

test('find gives directories with the root itself as a dot', async () => {
  const { paths } = await ask('/filesystem-find/?type=directory');
  expect(paths).toEqual(['.', 'a', 'empty', 'src', 'src/deep', 'src/deep/er']);
});

test('find takes several patterns, a most of results, and hidden ones when asked', async () => {
  expect((await ask('/filesystem-find/?patterns=*.md,*.txt')).paths).toEqual(['b.md', 'src/Größe.txt']);
  expect((await ask('/filesystem-find/?maxResults=2')).body).toMatchObject({ total: 2 });
  expect((await ask('/filesystem-find/?excludeHidden=false&patterns=*.ts,.env')).paths).toEqual([
    '.env',
    '.hidden/secret.ts',
    'a/inner.ts',
    'a.ts',
    'src/deep/er/file.ts',
  ]);
});

test('excludeDirs given and empty excludes nothing, left out it excludes the usual ones', async () => {
  expect((await ask('/filesystem-find/?patterns=index.ts')).paths).toEqual([]);
  expect((await ask('/filesystem-find/?patterns=index.ts&excludeDirs=')).paths).toEqual(['node_modules/pkg/index.ts']);
  expect((await ask('/filesystem-find/?patterns=file.ts&excludeDirs=deep')).paths).toEqual([]);
});

test.each([
  ['/filesystem-find/?type=link', 400],
  ['/filesystem-find/?maxResults=-1', 400],
  ['/filesystem-find/?maxResults=many', 400],
  ['/filesystem-find/?excludeHidden=perhaps', 400],
  ['/filesystem-find/a.ts', 400],
  ['/filesystem-find/missing', 404],
  ['/filesystem-search/', 400],
  ['/filesystem-search/missing?query=x', 404],
  ['/filesystem-content-search/', 400],
  ['/filesystem-content-search/?query=', 400],
  ['/filesystem-content-search/missing?query=x', 400],
  ['/filesystem-content-search/?query=x&contextLines=some', 400],
  ['/filesystem-content-search/?query=x%0Ay', 400],
])('%s is refused with %s and a reason', async (path, status) => {
  const answer = await ask(path);
  expect(answer.status).toBe(status);
  expect(answer.body.error.length).toBeGreaterThan(10);
});

test('U-02 fuzzy search takes its query from the parameter, or from the last word of the path', async () => {
  const { status, body } = await ask('/filesystem-search/?query=innr');
  expect({ status, body }).toEqual({
    status: 200,
    body: { matches: [{ path: 'a/inner.ts', score: expect.any(Number), type: 'file' }], total: 1 },
  });
  expect((await ask('/filesystem-search/innr')).paths).toEqual(['a/inner.ts']);
  expect((await ask('/filesystem-search/src/file')).paths[0]).toBe('deep/er/file.ts');
  expect((await ask('/filesystem-search/?query=deep&maxResults=1')).body.matches[0]).toMatchObject({
    type: 'directory',
  });
});

test('content search gives path, line, byte column and text, and repeats the query', async () => {
  const { body } = await ask('/filesystem-content-search/?query=two');
  expect(body).toEqual({
    query: 'two',
    matches: [
      { path: '.env', line: 1, column: 1, text: 'TWO=2' },
      { path: '.hidden/secret.ts', line: 1, column: 1, text: 'two' },
      { path: 'a/inner.ts', line: 1, column: 1, text: 'two' },
      { path: 'a.ts', line: 2, column: 7, text: 'const Two = 2;' },
    ],
    total: 4,
  });
});

test('content search regards case when told to, takes a file pattern and gives context', async () => {
  expect((await ask('/filesystem-content-search/?query=Two&caseSensitive=true')).paths).toEqual(['a.ts']);
  expect((await ask('/filesystem-content-search/?query=two&filePattern=in*.ts')).paths).toEqual(['a/inner.ts']);
  expect((await ask('/filesystem-content-search/?query=two&filePattern=a.ts&contextLines=1')).body.matches).toEqual([
    { path: 'a.ts', line: 2, column: 7, text: 'const Two = 2;', context: 'const one = 1;\nconst Two = 2;' },
  ]);
  expect((await ask('/filesystem-content-search/?query=%C3%A4rger')).paths).toEqual(['src/Größe.txt']);
});

test('nothing found is an empty list', async () => {
  expect((await ask('/filesystem-content-search/?query=absent-everywhere')).body).toMatchObject({
    matches: [],
    total: 0,
  });
  expect((await ask('/filesystem-find/?patterns=*.zzz')).body).toEqual({ matches: [], total: 0 });
});

test('R-36 unreadable folders, dangling links and names that are not UTF-8 fail no search', async () => {
  mkdirSync(join(tree, 'locked'));
  chmodSync(join(tree, 'locked'), 0);
  const strange = Buffer.concat([Buffer.from(`${tree}/src/`), Buffer.from([0xff, 0xfe]), Buffer.from('.ts')]);
  writeFileSync(strange, 'peculiar\n');
  try {
    expect((await ask('/filesystem-find/')).status).toBe(200);
    expect((await ask('/filesystem-content-search/?query=peculiar')).paths).toEqual(['src/\ufffd\ufffd.ts']);
  } finally {
    rmSync(strange);
    rmSync(join(tree, 'locked'), { recursive: true });
  }
});

test('a walk from the top does not enter /proc, /sys and /dev', async () => {
  const { paths } = await ask(
    '/filesystem-find//?type=directory&patterns=sys,proc,dev,self,devices,fd,tmp&maxResults=0',
  );
  expect(paths.some((path) => /^(proc|sys|dev)(\/|$)/.test(path))).toBe(false);
  expect(paths).toContain('tmp');
});

test('R-30 far more hits than maxResults end the search at once, and 0 gives every one of them', async () => {
  write('many/lines.txt', 'needle in hay\n'.repeat(30_000));
  try {
    const some = '/filesystem-content-search/?query=needle&maxResults=5';
    const all = '/filesystem-content-search/?query=needle&maxResults=0';
    expect((await ask(some)).body.total).toBe(5);
    // The fastest of three each, in turn: other load on the machine slows down one and then the other.
    let [someMs, allMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let round = 0; round < 3; round += 1) {
      someMs = Math.min(someMs, await timeOf(some));
      allMs = Math.min(allMs, await timeOf(all));
    }
    expect(someMs).toBeLessThan(allMs / 2);
    expect((await ask('/filesystem-content-search/?query=needle&maxResults=5000')).body.total).toBe(1_000);
    const { body } = await ask(all);
    expect(body.total).toBe(30_000);
    expect(body.matches.map(({ line }) => line)).toEqual(Array.from({ length: 30_000 }, (_, index) => index + 1));
  } finally {
    rmSync(join(tree, 'many'), { recursive: true });
  }
});

test('the same search gives the same bytes', async () => {
  const texts = await Promise.all(
    Array.from({ length: 6 }, async () => (await fetch(`${guest.url}/filesystem-content-search/?query=e`)).text()),
  );
  expect(new Set(texts).size).toBe(1);
});

test('R-30 a search whose caller leaves stops, and more of them than may run at once leave nothing behind', async () => {
  write('many/lines.txt', 'needle in hay\n'.repeat(400_000));
  try {
    for (let round = 0; round < 2; round += 1) {
      const leaving = Array.from({ length: 8 }, async () => {
        const controller = new AbortController();
        const url = `${guest.url}/filesystem-content-search/?query=needle&maxResults=0`;
        const response = await fetch(url, { signal: controller.signal });
        await response.body?.getReader().read();
        controller.abort();
        return response.status;
      });
      await Promise.all(leaving);
      await sleep(200);
    }
    expect((await ask('/filesystem-content-search/?query=needle&maxResults=3')).body.total).toBe(3);
  } finally {
    rmSync(join(tree, 'many'), { recursive: true });
  }
});

test('R-30 memory stays bounded for a reader that does not read', async () => {
  write('many/lines.txt', `${'needle in hay '.repeat(20)}\n`.repeat(200_000));
  const controller = new AbortController();
  try {
    const before = process.memoryUsage().rss;
    const url = `${guest.url}/filesystem-content-search/?query=needle&maxResults=0`;
    const response = await fetch(url, { signal: controller.signal });
    expect(response.status).toBe(200);
    await sleep(1_000);
    expect((process.memoryUsage().rss - before) / bytesPerMb).toBeLessThan(60);
  } finally {
    controller.abort();
    rmSync(join(tree, 'many'), { recursive: true });
  }
});
