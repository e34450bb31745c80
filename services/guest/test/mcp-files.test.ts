import { chmod, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytesPerMb } from '@berth/contract/guest';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { serveGuestInProcess } from '../../../tests/harness/guest-in-process.ts';
import { connectMcpClient } from './mcp-client.ts';

type Served = Awaited<ReturnType<typeof serveGuestInProcess>>;
let folder: string;
let guest: Served;
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

const modeOf = async (path: string) => ((await stat(path)).mode & 0o7777).toString(8);

test('fsGetWorkingDirectory tells what relative paths are relative to', async () => {
  expect(await mcp.answer('fsGetWorkingDirectory')).toEqual({ path: folder });
});

test('fsWriteFile writes a file with its folders, and null is as good as absent', async () => {
  const written = await mcp.answer('fsWriteFile', { path: 'a/b/c.txt', content: 'héllo', permissions: null });
  expect(written).toEqual({ path: 'a/b/c.txt', message: expect.stringContaining('success') });
  expect(await readFile(join(folder, 'a/b/c.txt'), 'utf8')).toBe('héllo');
  expect(await modeOf(join(folder, 'a/b/c.txt'))).toBe('644');
  expect(await modeOf(join(folder, 'a/b'))).toBe('755');
});

test('fsWriteFile makes folders with mode 0755, or with the given mode', async () => {
  await mcp.answer('fsWriteFile', { path: 'one', isDirectory: true });
  await mcp.answer('fsWriteFile', { path: 'two', isDirectory: true, permissions: '0700' });
  expect(await modeOf(join(folder, 'one'))).toBe('755');
  expect(await modeOf(join(folder, 'two'))).toBe('700');
});

test('fsWriteFile says what is wrong with permissions and with a folder in the way', async () => {
  expect(await mcp.failure('fsWriteFile', { path: 'x', permissions: '999' })).toMatch(/octal/);
  expect(await mcp.failure('fsWriteFile', { path: '.', content: 'x' })).toMatch(/directory/);
});

test('fsReadFile gives a file with its description', async () => {
  await writeFile(join(folder, 'a.txt'), 'text\n', { mode: 0o640 });
  expect(await mcp.answer('fsReadFile', { path: 'a.txt' })).toEqual({
    path: 'a.txt',
    name: 'a.txt',
    permissions: '640',
    size: 5,
    lastModified: expect.any(String),
    owner: expect.any(String),
    group: expect.any(String),
    content: 'text\n',
  });
});

test('fsReadFile says why it cannot: missing, a folder, too large', async () => {
  expect(await mcp.failure('fsReadFile', { path: 'none' })).toMatch(/none.*does not exist/);
  expect(await mcp.failure('fsReadFile', { path: '.' })).toMatch(/directory/);
  await writeFile(join(folder, 'big'), Buffer.alloc(5 * bytesPerMb, 'a'));
  expect(await mcp.failure('fsReadFile', { path: 'big' })).toMatch(/codegenReadFileRange/);
});

test('fsListDirectory and codegenListDir list one level, dangling links too', async () => {
  await mkdir(join(folder, 'sub/deeper'), { recursive: true });
  await writeFile(join(folder, 'sub/a.txt'), 'a');
  await symlink('/nowhere', join(folder, 'sub/link'));
  const listing = { name: 'sub', files: [{ name: 'a.txt' }, { name: 'link' }], subdirectories: [{ name: 'deeper' }] };
  expect(await mcp.answer('fsListDirectory', { path: 'sub' })).toMatchObject({ directory: listing });
  expect(await mcp.answer('codegenListDir', { relativeWorkspacePath: 'sub' })).toMatchObject({
    success: true,
    directory: { ...listing, path: join(folder, 'sub') },
  });
  expect(await mcp.failure('fsListDirectory', { path: 'none' })).toMatch(/does not exist/);
  expect(await mcp.failure('codegenListDir', { relativeWorkspacePath: '../..' })).toMatch(/outside/);
});

test('fsEditFile replaces one occurrence and keeps the mode', async () => {
  const path = join(folder, 'run.sh');
  await writeFile(path, 'echo one\necho two\n');
  await chmod(path, 0o751);
  const edited = await mcp.answer('fsEditFile', { path: 'run.sh', oldString: 'one', newString: '$& $1 uno' });
  expect(edited).toEqual({ path: 'run.sh', occurrencesReplaced: 1 });
  expect(await readFile(path, 'utf8')).toBe('echo $& $1 uno\necho two\n');
  expect(await modeOf(path)).toBe('751');
});

test('fsEditFile refuses empty and identical strings, no match, and several matches without replaceAll', async () => {
  const path = join(folder, 'a.txt');
  await writeFile(path, 'x x x');
  const edit = (oldString: string, newString: string, more = {}) => ({ path: 'a.txt', oldString, newString, ...more });
  expect(await mcp.failure('fsEditFile', edit('', 'y'))).toMatch(/empty/);
  expect(await mcp.failure('fsEditFile', edit('x', 'x'))).toMatch(/same/);
  expect(await mcp.failure('fsEditFile', edit('z', 'y'))).toMatch(/not in the file/);
  expect(await mcp.failure('fsEditFile', edit('x', 'y'))).toMatch(/3 times/);
  expect(await mcp.failure('fsEditFile', { ...edit('x', 'y'), path: 'none' })).toMatch(/does not exist/);
  expect(await readFile(path, 'utf8')).toBe('x x x');
  expect(await mcp.answer('fsEditFile', edit('x', 'y', { replaceAll: true }))).toMatchObject({
    occurrencesReplaced: 3,
  });
  expect(await readFile(path, 'utf8')).toBe('y y y');
});

test('fsEditFile never touches a file that is not text', async () => {
  const bytes = Buffer.from([0x61, 0xff, 0xe2, 0x82, 0x62]);
  await writeFile(join(folder, 'bin'), bytes);
  expect(await mcp.failure('fsEditFile', { path: 'bin', oldString: 'a', newString: 'c' })).toMatch(/not UTF-8/);
  expect(await readFile(join(folder, 'bin'))).toEqual(bytes);
});

test('of 50 edits of one file at once none is lost', async () => {
  const names = Array.from({ length: 50 }, (_, index) => `<${index}>`);
  await writeFile(join(folder, 'a.txt'), names.join('\n'));
  await Promise.all(
    names.map((name) => mcp.answer('fsEditFile', { path: 'a.txt', oldString: name, newString: name.slice(1, -1) })),
  );
  expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe(names.map((name) => name.slice(1, -1)).join('\n'));
});

test('fsDeleteFileOrDirectory deletes a file, and a folder that is not empty only when told to', async () => {
  await mkdir(join(folder, 'sub'));
  await writeFile(join(folder, 'sub/a.txt'), 'a');
  await writeFile(join(folder, 'b.txt'), 'b');
  expect(await mcp.failure('fsDeleteFileOrDirectory', { path: 'sub' })).toMatch(/not empty/);
  expect(await mcp.failure('fsDeleteFileOrDirectory', { path: 'b.txt', isDirectory: true })).toMatch(/is a file/);
  expect(await mcp.failure('fsDeleteFileOrDirectory', { path: 'none' })).toMatch(/does not exist/);
  const deleted = await mcp.answer('fsDeleteFileOrDirectory', { path: 'sub', recursive: true, isDirectory: true });
  expect(deleted).toEqual({ path: 'sub', message: expect.stringContaining('success') });
  await mcp.answer('fsDeleteFileOrDirectory', { path: join(folder, 'b.txt') });
  expect(await mcp.answer('fsListDirectory', { path: '.' })).toMatchObject({
    directory: { files: [], subdirectories: [] },
  });
});

test('R-55 50 calls at once on one client each get their own answer', async () => {
  const names = Array.from({ length: 50 }, (_, index) => `file-${index}`);
  await Promise.all(names.map((name) => mcp.answer('fsWriteFile', { path: name, content: `I am ${name}` })));
  const contents = await Promise.all(names.map((name) => mcp.answer('fsReadFile', { path: name })));
  expect(contents.map(({ content }) => content)).toEqual(names.map((name) => `I am ${name}`));
});

test('codegenReadFileRange gives the lines asked for; out of range is an error', async () => {
  const lines = Array.from({ length: 400 }, (_, index) => `line ${index + 1}`);
  await writeFile(join(folder, 'a.txt'), `${lines.join('\n')}\n`);
  const range = (startLineOneIndexed: number, endLineOneIndexedInclusive: number, targetFile = 'a.txt') => ({
    targetFile,
    startLineOneIndexed,
    endLineOneIndexedInclusive,
  });
  expect(await mcp.answer('codegenReadFileRange', range(2, 3))).toEqual({
    success: true,
    content: 'line 2\nline 3',
    file: 'a.txt',
  });
  expect(await mcp.answer('codegenReadFileRange', range(1, 400))).toMatchObject({ content: lines.join('\n') });
  expect(await mcp.failure('codegenReadFileRange', range(399, 401))).toMatch(/has 400 lines/);
  expect(await mcp.failure('codegenReadFileRange', range(0, 1))).toMatch(/count from 1/);
  expect(await mcp.failure('codegenReadFileRange', range(1, 1, 'none'))).toMatch(/does not exist/);
});
