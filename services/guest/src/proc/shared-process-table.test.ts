import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import type { ProcessTable } from './process-members.ts';
import { SharedProcessTable } from './shared-process-table.ts';

test('callers that wait at the same moment get one table, and it holds what was started before each of them asked', async () => {
  const shared = new SharedProcessTable(20);
  const tables: ProcessTable[] = [];
  const asked = async (): Promise<ProcessTable> => {
    const { promise, resolve } = Promise.withResolvers<ProcessTable>();
    shared.use(resolve);
    const table = await promise;
    tables.push(table);
    return table;
  };
  const early = Array.from({ length: 100 }, asked);
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  try {
    const later = Array.from({ length: 100 }, asked);
    for (const table of await Promise.all(later)) expect(table.membersOf({ pid: child.pid ?? 0 })).toEqual([child.pid]);
    await Promise.all(early);
    // The first caller asked alone, and the others while it waited.
    expect(new Set(tables).size).toBe(2);
  } finally {
    child.kill();
    await once(child, 'exit');
  }
  expect((await asked()).membersOf({ pid: child.pid ?? 0 })).toEqual([]);
});
