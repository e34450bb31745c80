// The commands of the rendered containers, as processes of this machine with the files that they mount. Addresses of the cluster are
// replaced by those of this machine, by variables.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from '../../engines/free-port.ts';
import { runServerCommand, type ServerProcess, startServer } from '../../engines/server-process.ts';
import { createTestDatabase } from '../../engines/test-database.ts';
import { startTestRestate } from '../../engines/test-restate.ts';
import { identityKeyOf } from '../harness/identity-key.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { until } from '../harness/until.ts';
import { render } from './chart.ts';
import { placeContainer } from './container-files.ts';
import { ofKind } from './objects.ts';
import { deploymentsOf, first, roleOf } from './rules/rule.ts';

const emptyDatabase = 'template1';

test('the migration runs on an empty database, all roles become ready together, and commands work in the container of an api', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const identityPem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  await using database = await createTestDatabase(emptyDatabase);
  await using restate = await startTestRestate({ identityPem });
  await using root = await temporaryFolder();
  const settings = {
    'settings.restate.ingressUrl': restate.ingressUrl,
    'settings.restate.adminUrl': restate.adminUrl,
    'settings.orchestrator.identityKeys': [identityKeyOf(publicKey)],
  };
  const objects = await render(
    'smallest',
    ...Object.entries(settings).flatMap(([path, value]) => ['--set-json', `${path}=${JSON.stringify(value)}`]),
  );
  const secrets = {
    'berth-postgres/url': `${database.url}\n`,
    'berth-master-keys/master-keys.yaml': `- { id: "2026-05", key: "${randomBytes(32).toString('base64')}" }\n`,
  };
  const place = (name: string, pod: Parameters<typeof placeContainer>[0]) =>
    placeContainer(pod, objects, secrets, join(root.path, name));

  const migration = await place('migration', first(ofKind(objects, 'Job')).spec.template.spec);
  expect((await runServerCommand(migration.args, migration.env)).code).toBe(0);

  const [apiPort, handlersPort] = [await freePort(), await freePort()];
  const here = {
    ...{ BERTH_API_PORT: String(apiPort), BERTH_API_NODE_PORT: '0', BERTH_GATEWAY_PORT: '0' },
    ...{ BERTH_ORCHESTRATOR_PORT: String(handlersPort) },
    BERTH_ORCHESTRATOR_ADVERTISED_URL: `http://127.0.0.1:${handlersPort}`,
    ...{ BERTH_HEALTH_PORTS_API: '0', BERTH_HEALTH_PORTS_ORCHESTRATOR: '0', BERTH_HEALTH_PORTS_GATEWAY: '0' },
  };
  const servers: ServerProcess[] = [];
  try {
    for (const deployment of deploymentsOf(objects)) {
      const role = roleOf(deployment);
      const pod = deployment.spec.template.spec;
      const { args, env, config } = await place(role, pod);
      expect(args).toEqual(['--role', role, '--config', config]);
      const server = await startServer({ roles: role, config, env: { ...env, ...here }, log: () => {} });
      servers.push(server);
      const probe = first(pod.containers).readinessProbe?.httpGet.path;
      const health = server.started[0]?.health.replace('0.0.0.0', '127.0.0.1');
      await until(async () => (await fetch(`${health}${probe}`)).status === 200);
    }
    expect(servers).toHaveLength(3);

    const api = deploymentsOf(objects).filter((deployment) => roleOf(deployment) === 'api');
    const { env, config } = await place('command', first(api).spec.template.spec);
    const run = (...args: string[]) => runServerCommand([...args, '--config', config], env);
    const account = ['--email', 'you@example.com', '--account', 'Your company', '--workspace', 'your-team'];
    const made = await run('init', ...account);
    expect(made.code).toBe(0);
    const [, apiKey = ''] = /^key +(\S+)$/m.exec(made.output) ?? [];
    const answer = await fetch(`http://127.0.0.1:${apiPort}/v0/workspaces`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    expect(answer.status).toBe(200);
    expect(JSON.stringify(await answer.json())).toContain('your-team');
    expect((await run('create-join-token', '--region', 'local')).code).toBe(0);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
  expect(await Promise.all(servers.map((server) => server.exited))).toEqual([0, 0, 0]);
});
