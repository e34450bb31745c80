// The program as an operator runs it: a real process with the real list of roles.
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { runServerCommand, startServer } from '../../../../engines/server-process.ts';
import { createTestDatabase } from '../../../../engines/test-database.ts';

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
  const init = await runServerCommand(first, env);
  expect(init.code).toBe(0);
  const key = /service_\w{46}/.exec(init.output)?.[0];
  await using server = await startServer({ roles: 'api', env, log: () => {} });
  const answer = await fetch(`${server.address}/v0/workspaces`, { headers: { authorization: `Bearer ${key}` } });
  expect(await answer.json()).toMatchObject([{ name: 'first-space', status: 'ready' }]);
  await server.stop();
  expect(await server.exited).toBe(0);
  const again = await runServerCommand(first, env);
  expect(again.code).toBe(1);
  expect(`${again.output}${again.errors}`).toContain('has an account already');
});

test('without a master key nothing starts, and the reason names the setting', async () => {
  const { code, output, errors } = await runServerCommand(['--role', 'api'], {
    BERTH_POSTGRES_URL: 'postgres://nowhere/berth',
  });
  expect(code).toBe(1);
  expect(`${output}${errors}`).toContain('BERTH_MASTER_KEYS');
});
