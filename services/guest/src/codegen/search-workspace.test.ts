import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { searchWorkspace, workspaceWalk } from './search-workspace.ts';

test('a pattern that would match for ever is cancelled in time, and the next search works', async () => {
  const root = await mkdtemp(join(tmpdir(), 'workspace-'));
  try {
    await writeFile(join(root, 'a.txt'), `${'a'.repeat(5000)}b\n`);
    const walk = { root, ...workspaceWalk(), maxResults: 10 };
    const grep = (query: string) => ({
      kind: 'grep' as const,
      query,
      caseSensitive: true,
      include: '',
      exclude: '',
      ...walk,
    });
    const { signal } = new AbortController();
    await expect(searchWorkspace(grep('^(a+)+$'), signal, 1)).rejects.toThrow(/longer than 1 seconds/);
    expect(await searchWorkspace(grep('ab'), signal)).toMatchObject([{ path: 'a.txt', lineNumber: 1 }]);
  } finally {
    await rm(root, { recursive: true });
  }
});

test('a search ends when its caller leaves', async () => {
  const leaving = new AbortController();
  const job = { kind: 'closest' as const, query: 'zzzz', root: '/usr', ...workspaceWalk(), maxResults: 10 };
  const search = searchWorkspace(job, leaving.signal);
  leaving.abort(new Error('left'));
  await expect(search).rejects.toThrow('left');
});
