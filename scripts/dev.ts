// pnpm dev: starts the engines, migrates the database, prepares the first run, starts every role and prints the
// addresses. Ctrl-C ends the roles and leaves the engines up; `pnpm engines down` ends those.
import { join } from 'node:path';
import { clickhouse } from '../engines/clickhouse.ts';
import { persistentFolder, up } from '../engines/persistent-engines.ts';
import { postgres } from '../engines/postgres.ts';
import { restate } from '../engines/restate.ts';
import { prepareConfig } from '../engines/restate-config.ts';
import { ServerProcess } from '../engines/server-process.ts';
import { createDatabase } from './dev/create-database.ts';
import { prepareFirstRun } from './dev/first-run.ts';
import { claim } from './dev/only-one.ts';
import { inherited, runCommand } from './dev/run-command.ts';
import { prepareRunner } from './dev/runner.ts';

let addresses = 'It is starting.';
const describe = (): string => `Process ${process.pid}, started in ${process.cwd()}.\n${addresses}`;
const { running } = await claim(join(await persistentFolder('server'), 'dev.sock'), describe);
if (running !== undefined) {
  console.error(`Berth is up already. End it with Ctrl-C in its terminal before you start another one.\n${running}`);
  process.exit(1);
}
const postgresUrl = await createDatabase(await up(postgres), 'berth');
const clickhouseUrl = await up(clickhouse);
await up(restate);
const { ingressUrl, adminUrl } = await prepareConfig({ dataFolder: await persistentFolder(restate.name) });
const engines = {
  BERTH_POSTGRES_URL: postgresUrl,
  BERTH_CLICKHOUSE_URL: clickhouseUrl,
  BERTH_RESTATE_INGRESS_URL: ingressUrl,
  BERTH_RESTATE_ADMIN_URL: adminUrl,
};
await runCommand(['migrate'], engines);
const firstRun = await prepareFirstRun((args, extra) => runCommand(args, { ...engines, ...extra }));
const env = { ...engines, ...firstRun.env };
const runner = await prepareRunner((args) => runCommand(args, env));

const server = new ServerProcess({
  roles: runner.roles,
  env: inherited({ ...env, ...runner.env }),
  log: console.log,
  startTimeoutSeconds: Number.POSITIVE_INFINITY,
});
// The terminal sends Ctrl-C to the server as well; this process only waits until the server has stopped.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => void server.stop());

await server.start();
const places = [
  ...server.started.map(({ role, address, health }) => `  ${role.padEnd(8)}  ${address ?? '-'}  health ${health}`),
  `  postgres  ${postgresUrl}`,
  `  restate   ${ingressUrl}  admin ${adminUrl}`,
  `  clickhouse  ${clickhouseUrl}`,
  ...runner.lines,
];
addresses = places.join('\n');
console.log(['', 'Berth is up.', ...places, ...firstRun.lines, ''].join('\n'));
process.exitCode = await server.exited;
