import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import { serveGuestInProcess } from '../../../tests/harness/guest-in-process.ts';
import { connectMcpClient } from './mcp-client.ts';

const quietVariables = { DISABLE_REQUEST_LOGGING: 'true' };

/**
 * Input and output of each tool: `s` text, `i` integer, `n` number, `b` boolean, `[]` list, `{}` object, `?` may be
 * left out or null.
 */
const schemasOfTools: Record<string, { input: Record<string, string>; output: Record<string, string> }> = {
  processesList: { input: {}, output: { processes: '[]' } },
  processExecute: {
    input: {
      command: 's',
      name: 's?',
      workingDir: 's?',
      env: '{}?',
      waitForCompletion: 'b?',
      timeout: 'i?',
      waitForPorts: '[]?',
      restartOnFailure: 'b?',
      maxRestarts: 'i?',
      keepAlive: 'b?',
    },
    output: { pid: 's', name: 's', status: 's', exitCode: 'i', logs: 's?', message: 's?', pollRequired: 'b?' },
  },
  processGet: {
    input: { identifier: 's' },
    output: {
      pid: 's',
      name: 's',
      command: 's',
      workingDir: 's',
      status: 's',
      startedAt: 's',
      completedAt: 's|null',
      exitCode: 'i',
      logs: 's|null',
      stdout: 's|null',
      stderr: 's|null',
      restartOnFailure: 'b',
      maxRestarts: 'i',
      restartCount: 'i',
      keepAlive: 'b',
    },
  },
  processGetLogs: { input: { identifier: 's' }, output: { logs: 's' } },
  processStop: { input: { identifier: 's' }, output: { status: 's' } },
  processKill: { input: { identifier: 's' }, output: { status: 's' } },
  fsGetWorkingDirectory: { input: {}, output: { path: 's' } },
  fsListDirectory: { input: { path: 's' }, output: { directory: '{}' } },
  fsReadFile: {
    input: { path: 's' },
    output: {
      path: 's',
      name: 's',
      permissions: 's',
      size: 'i',
      lastModified: 's',
      owner: 's',
      group: 's',
      content: 's',
    },
  },
  fsWriteFile: {
    input: { path: 's', content: 's?', permissions: 's?', isDirectory: 'b?' },
    output: { path: 's', message: 's' },
  },
  fsEditFile: {
    input: { path: 's', oldString: 's', newString: 's', replaceAll: 'b?' },
    output: { path: 's', occurrencesReplaced: 'i' },
  },
  fsDeleteFileOrDirectory: {
    input: { path: 's', isDirectory: 'b?', recursive: 'b?' },
    output: { path: 's', message: 's' },
  },
  codegenFileSearch: {
    input: { query: 's', directory: 's?' },
    output: { success: 'b', matches: '[]', query: 's' },
  },
  codegenCodebaseSearch: {
    input: { query: 's', targetDirectories: '[]?' },
    output: { success: 'b', results: '[]', query: 's' },
  },
  codegenGrepSearch: {
    input: { query: 's', caseSensitive: 'b?', includePattern: 's?', excludePattern: 's?' },
    output: { success: 'b', results: 's' },
  },
  codegenReadFileRange: {
    input: { targetFile: 's', startLineOneIndexed: 'i', endLineOneIndexedInclusive: 'i' },
    output: { success: 'b', content: 's', file: 's' },
  },
  codegenListDir: { input: { relativeWorkspacePath: 's' }, output: { success: 'b', directory: '{}' } },
  codegenReapply: { input: { targetFile: 's' }, output: { success: 'b', message: 's' } },
  codegenParallelApply: { input: { editPlan: 's', editRegions: '[]' }, output: { success: 'b', message: 's' } },
};

const withProvider: typeof schemasOfTools = {
  codegenEditFile: {
    input: { targetFile: 's', instructions: 's', codeEdit: 's' },
    output: { success: 'b', message: 's?', filePath: 's?', changesApplied: 's?' },
  },
  codegenRerank: {
    input: { path: 's', query: 's', scoreThreshold: 'n?', tokenLimit: 'i?', filePattern: 's?' },
    output: { success: 'b', message: 's?', files: '[]' },
  },
};

const shortSchemas: Record<string, string> = {
  string: 's',
  integer: 'i',
  number: 'n',
  boolean: 'b',
  array: '[]',
  object: '{}',
};

type Schema = {
  type: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
};

function inShort({ properties = {}, required = [] }: Schema): Record<string, string> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, { type }]) => {
      const [kind, ...others] = [type].flat();
      const suffix = !required.includes(name) ? '?' : others.includes('null') ? '|null' : '';
      if (suffix === '?') expect([type].flat(), name).toContain('null');
      return [name, `${shortSchemas[kind ?? '']}${suffix}`];
    }),
  );
}

const listed = (tools: Tool[]) =>
  Object.fromEntries(
    tools.map(({ name, inputSchema, outputSchema }) => [
      name,
      { input: inShort(inputSchema as Schema), output: inShort(outputSchema as Schema) },
    ]),
  );

test('tools/list names every tool with what it takes and gives', async () => {
  await using guest = await serveGuestInProcess(quietVariables, '/tmp');
  await using mcp = await connectMcpClient(guest.url);
  expect(listed(mcp.tools)).toEqual(schemasOfTools);
});

test('U-09 the tools that need a model are listed only when one is configured', async () => {
  await using guest = await serveGuestInProcess({ ...quietVariables, SANDBOX_APPLY_URL: 'http://127.0.0.1:9' }, '/tmp');
  await using mcp = await connectMcpClient(guest.url);
  expect(listed(mcp.tools)).toEqual({ ...schemasOfTools, ...withProvider });
});

test('schemas use the five keywords that every converter knows, and describe each argument', async () => {
  await using guest = await serveGuestInProcess({ ...quietVariables, SANDBOX_APPLY_URL: 'http://127.0.0.1:9' }, '/tmp');
  await using mcp = await connectMcpClient(guest.url);
  const known = new Set(['type', 'properties', 'required', 'items', 'description']);
  const check = (schema: Schema, where: string) => {
    expect(
      Object.keys(schema).filter((key) => !known.has(key)),
      where,
    ).toEqual([]);
    for (const [name, property] of Object.entries(schema.properties ?? {})) check(property, `${where}.${name}`);
    if (schema.items) check(schema.items, `${where}[]`);
  };
  for (const { name, description, inputSchema, outputSchema } of mcp.tools) {
    expect(description, name).toMatch(/\w.*\./);
    check(inputSchema as Schema, name);
    check(outputSchema as Schema, name);
    for (const [argument, property] of Object.entries(inputSchema.properties ?? {})) {
      expect(property, `${name}.${argument}`).toHaveProperty('description', expect.stringMatching(/\w/));
    }
  }
});

test('every tool refuses an unknown argument, and one of the wrong type, with a text', async () => {
  await using guest = await serveGuestInProcess({ ...quietVariables, SANDBOX_APPLY_URL: 'http://127.0.0.1:9' }, '/tmp');
  await using mcp = await connectMcpClient(guest.url);
  for (const { name, inputSchema } of mcp.tools) {
    const fitting = Object.fromEntries(
      Object.entries(inputSchema.properties ?? {}).map(([argument, property]) => {
        const [type] = [(property as Schema).type].flat();
        return [argument, type === 'string' ? 'x' : type === 'array' ? [] : type === 'boolean' ? false : 1];
      }),
    );
    expect(await mcp.failure(name, { ...fitting, env: undefined, surprise: 1 }), name).toMatch(/surprise/);
    for (const argument of inputSchema.required ?? []) {
      expect(await mcp.failure(name, { ...fitting, env: undefined, [argument]: { no: 1 } }), name).toContain(argument);
      expect(await mcp.failure(name, { ...fitting, env: undefined, [argument]: undefined }), name).toContain(argument);
    }
  }
});
