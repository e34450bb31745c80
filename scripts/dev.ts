// pnpm dev: engines up, database migrated, first run prepared, every role started, addresses printed. Ctrl-C ends the
// roles and leaves the engines up; `pnpm engines down` ends those.
import { createDatabase } from './dev/create-database.ts';
import { prepareFirstRun } from './dev/first-run.ts';
import { runServerCommand, startServer } from './dev/server-process.ts';
import { postgres } from './engines/postgres.ts';
import { up } from './engines/standing.ts';

const postgresUrl = await createDatabase(await up(postgres), 'berth');
const env = { BERTH_POSTGRES_URL: postgresUrl };
await runServerCommand(['migrate'], env);
const firstRun = await prepareFirstRun((args, extra) => runServerCommand(args, { ...env, ...extra }));

const server = startServer({ ...env, ...firstRun.env });
// The terminal sends Ctrl-C to the server as well; this process waits for it to stop in order.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => server.stop());

const roles = await server.ready;
console.log(['', 'Berth is up.', ...roles, `  postgres  ${postgresUrl}`, ...firstRun.lines, ''].join('\n'));
process.exitCode = await server.exited;
