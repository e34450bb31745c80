import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { claim } from './only-one.ts';

test('a second one learns who runs, until that one ends', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'berth-dev-'));
  const socket = join(folder.path, 'dev.sock');
  let state = 'starting';
  const first = await claim(socket, () => `process 1, ${state}`);
  expect(first.running).toBeUndefined();
  state = 'ready';
  expect((await claim(socket, () => 'process 2')).running).toBe('process 1, ready');
  first.release();
  const third = await claim(socket, () => 'process 3');
  expect(third.running).toBeUndefined();
  third.release();
});

test('what a killed one has left stands in nobody’s way', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'berth-dev-'));
  const socket = join(folder.path, 'dev.sock');
  const program = `require('net').createServer().listen(${JSON.stringify(socket)}, () => console.log('up'))`;
  const killed = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(killed.stdout, 'data');
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  expect(existsSync(socket)).toBe(true);
  const next = await claim(socket, () => 'next');
  expect(next.running).toBeUndefined();
  expect((await claim(socket, () => 'another')).running).toBe('next');
  next.release();
});
