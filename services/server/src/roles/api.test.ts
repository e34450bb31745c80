// The program as an operator runs it: a real process with the real list of roles.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { createTestDatabase } from '../../../../engines/test-database.ts';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function start(args: string[], env: Record<string, string>) {
  const child = spawn(process.execPath, ['src/main.ts', ...args], { cwd: new URL('../..', import.meta.url), env });
  children.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  return {
    child,
    ended: once(child, 'close').then(([code]) => ({ code, output })),
    async until(pattern: RegExp): Promise<RegExpExecArray> {
      for (;;) {
        const found = pattern.exec(output);
        if (found) return found;
        if (child.exitCode !== null) throw new Error(`Ended without ${pattern}: ${output}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
}

test('init, then the api role: the printed key opens the workspace, and a signal ends it cleanly', async () => {
  await using database = await createTestDatabase();
  const env = {
    BERTH_POSTGRES_URL: database.url,
    BERTH_MASTER_KEYS: JSON.stringify([{ id: 'test', key: randomBytes(32).toString('base64') }]),
    BERTH_API_PORT: '0',
    BERTH_API_NODE_PORT: '0',
    BERTH_HEALTH_PORTS_API: '0',
  };
  const first = ['init', '--email', 'ada@example.com', '--account', 'Ada', '--workspace', 'first-space'];
  const init = await start(first, env).ended;
  expect(init.code).toBe(0);
  const key = /service_\w{46}/.exec(init.output)?.[0];
  const server = start(['--role', 'api'], env);
  const [, address] = await server.until(/"address":"(.*?)"/);
  const answer = await fetch(`${address}/v0/workspaces`, { headers: { authorization: `Bearer ${key}` } });
  expect(await answer.json()).toMatchObject([{ name: 'first-space', status: 'ready' }]);
  server.child.kill('SIGTERM');
  expect((await server.ended).code).toBe(0);
  const again = await start(first, env).ended;
  expect(again.code).toBe(1);
  expect(again.output).toContain('has an account already');
});

test('without a master key nothing starts, and the reason names the setting', async () => {
  const { code, output } = await start(['--role', 'api'], { BERTH_POSTGRES_URL: 'postgres://nowhere/berth' }).ended;
  expect(code).toBe(1);
  expect(output).toContain('BERTH_MASTER_KEYS');
});
