import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { startGuestProcess } from '../../../tests/harness/guest-process.ts';
import { completion, serveModel } from './apply-model.ts';
import { connectMcpClient } from './mcp-client.ts';

type Client = Awaited<ReturnType<typeof connectMcpClient>>;

/** One use of each tool, on its own files and processes, that checks the answer. */
const useOfTool: Record<string, (mcp: Client, own: string) => Promise<void>> = {
  processesList: async (mcp, own) => {
    await mcp.answer('processExecute', { command: 'true', name: own, waitForCompletion: true });
    const { processes } = await mcp.answer('processesList');
    expect(processes).toContainEqual(expect.objectContaining({ name: own, status: 'completed' }));
  },
  processExecute: async (mcp, own) => {
    const { logs } = await mcp.answer('processExecute', { command: `echo ${own}`, waitForCompletion: true });
    expect(logs).toBe(`${own}\n`);
  },
  processGet: async (mcp, own) => {
    await mcp.answer('processExecute', { command: `echo ${own}`, name: own, waitForCompletion: true });
    expect(await mcp.answer('processGet', { identifier: own })).toMatchObject({ name: own, stdout: `${own}\n` });
  },
  processGetLogs: async (mcp, own) => {
    await mcp.answer('processExecute', { command: `echo ${own} >&2`, name: own, waitForCompletion: true });
    expect(await mcp.answer('processGetLogs', { identifier: own })).toEqual({ logs: `${own}\n` });
  },
  processStop: async (mcp, own) => {
    await mcp.answer('processExecute', { command: 'exec sleep 60', name: own });
    expect(await mcp.answer('processStop', { identifier: own })).toEqual({ status: 'stopped' });
  },
  processKill: async (mcp, own) => {
    await mcp.answer('processExecute', { command: 'exec sleep 60', name: own });
    expect(await mcp.answer('processKill', { identifier: own })).toEqual({ status: 'killed' });
  },
  fsGetWorkingDirectory: async (mcp) => {
    expect(await mcp.answer('fsGetWorkingDirectory')).toEqual({ path: expect.stringMatching(/^\//) });
  },
  fsListDirectory: async (mcp, own) => {
    await mcp.answer('fsWriteFile', { path: `${own}/a` });
    expect(await mcp.answer('fsListDirectory', { path: own })).toMatchObject({
      directory: { path: own, files: [{ name: 'a' }], subdirectories: [] },
    });
  },
  fsReadFile: async (mcp, own) => {
    await mcp.answer('fsWriteFile', { path: own, content: own });
    expect(await mcp.answer('fsReadFile', { path: own })).toMatchObject({ path: own, content: own });
  },
  fsWriteFile: async (mcp, own) => {
    expect(await mcp.answer('fsWriteFile', { path: own, isDirectory: true })).toMatchObject({ path: own });
  },
  fsEditFile: async (mcp, own) => {
    await mcp.answer('fsWriteFile', { path: own, content: 'old' });
    const edited = await mcp.answer('fsEditFile', { path: own, oldString: 'old', newString: own });
    expect(edited).toEqual({ path: own, occurrencesReplaced: 1 });
    expect(await mcp.answer('fsReadFile', { path: own })).toMatchObject({ content: own });
  },
  fsDeleteFileOrDirectory: async (mcp, own) => {
    await mcp.answer('fsWriteFile', { path: own });
    expect(await mcp.answer('fsDeleteFileOrDirectory', { path: own })).toMatchObject({ path: own });
    await mcp.failure('fsReadFile', { path: own });
  },
  codegenFileSearch: async (mcp, own) => {
    await mcp.answer('fsWriteFile', { path: `${own}/found-${own}` });
    const { matches } = await mcp.answer('codegenFileSearch', { query: `found-${own}` });
    expect(matches).toEqual([expect.stringMatching(new RegExp(`/${own}/found-${own}$`))]);
  },
  codegenCodebaseSearch: async (mcp, own) => {
    expect(await mcp.answer('codegenCodebaseSearch', { query: own })).toMatchObject({ query: own, results: [] });
  },
  codegenGrepSearch: async (mcp, own) => {
    await mcp.answer('fsWriteFile', { path: own, content: `<${own}>` });
    const { results } = await mcp.answer('codegenGrepSearch', { query: `<${own}.` });
    expect(results).toContain(`"path":{"text":"${own}"}`);
  },
  codegenReadFileRange: async (mcp, own) => {
    await mcp.answer('fsWriteFile', { path: own, content: `a\n${own}\nc` });
    const range = { targetFile: own, startLineOneIndexed: 2, endLineOneIndexedInclusive: 2 };
    expect(await mcp.answer('codegenReadFileRange', range)).toEqual({ success: true, content: own, file: own });
  },
  codegenListDir: async (mcp, own) => {
    await mcp.answer('fsWriteFile', { path: `${own}/a` });
    expect(await mcp.answer('codegenListDir', { relativeWorkspacePath: own })).toMatchObject({
      directory: { files: [{ name: 'a' }] },
    });
  },
  codegenReapply: async (mcp, own) => {
    const { message } = await mcp.answer('codegenReapply', { targetFile: own });
    expect(message).toContain(own);
  },
  codegenParallelApply: async (mcp) => {
    expect(await mcp.answer('codegenParallelApply', { editPlan: 'x', editRegions: [] })).toMatchObject({
      success: false,
    });
  },
  codegenEditFile: async (mcp, own) => {
    const edit = { targetFile: own, instructions: 'x', codeEdit: own };
    expect(await mcp.answer('codegenEditFile', edit)).toMatchObject({ filePath: own, changesApplied: `merged ${own}` });
  },
  codegenRerank: async (mcp, own) => {
    expect(await mcp.failure('codegenRerank', { path: '.', query: own })).toMatch(/ranks files/);
  },
};

test('R-55 the official client lists and calls every tool of the guest as it is shipped, 50 at once', async () => {
  await using model = await serveModel(async ({ body }) => {
    const edit = /<update>(.*)<\/update>/s.exec(body.messages.at(-1)?.content ?? '')?.[1];
    return [200, completion(`merged ${edit}`)];
  });
  await using guest = await startGuestProcess({
    variables: { DISABLE_REQUEST_LOGGING: 'true', SANDBOX_APPLY_URL: model.url },
  });
  await using mcp = await connectMcpClient(guest.url);
  expect(mcp.tools.map(({ name }) => name).sort()).toEqual(Object.keys(useOfTool).sort());
  for (const [name, use] of Object.entries(useOfTool)) await use(mcp, `one-${name}`);
  const uses = Object.entries(useOfTool);
  const first = randomInt(uses.length);
  await Promise.all(
    Array.from({ length: 50 }, async (_, index) => {
      const [name, use] = uses[(first + index) % uses.length] ?? [];
      // Of one length: a search for a name would find longer names that begin with it.
      await use?.(mcp, `many-${name}-${String(index).padStart(2, '0')}`);
    }),
  );
}, 60_000);
