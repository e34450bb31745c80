import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { environment } from '@berth/telemetry';
import { persistentFolder } from '../../engines/persistent-engines.ts';
import { unlessSet } from './run-command.ts';

export type FirstRun = {
  /** Settings that the server needs in development besides the engines' addresses. */
  env: Readonly<Record<string, string>>;
  /** Lines for the developer once all roles are up, such as the first key. */
  lines: readonly string[];
};

type RunCommand = (args: readonly string[], env: Readonly<Record<string, string>>) => Promise<string>;

const email = 'dev@example.com';
const workspace = 'dev-space';

/** Documentation address ranges: they never reach a real host. */
const regions = [{ name: 'local', egressPools: ['203.0.113.0/24', '2001:db8::/64'] }];

/**
 * Runs between migration and start, every time: creates what an empty deployment lacks and keeps it for the next start.
 */
export async function prepareFirstRun(runCommand: RunCommand): Promise<FirstRun> {
  const env = {
    BERTH_MASTER_KEYS_FILE: await developmentKeyFile(),
    BERTH_API_REGIONS: JSON.stringify(regions),
    // Browsers and curl resolve every name below localhost to this machine, where the gateway serves HTTP.
    ...unlessSet({
      BERTH_API_WORKLOAD_SCHEME: 'http',
      BERTH_API_WORKLOAD_PORT: environment.BERTH_GATEWAY_PORT ?? '8090',
      BERTH_API_GATEWAY_URL: `http://127.0.0.1:${environment.BERTH_GATEWAY_PORT ?? '8090'}`,
    }),
  };
  await runCommand(
    ['init', '--if-needed', '--email', email, '--account', 'Development', '--workspace', workspace],
    env,
  );
  // The values of earlier keys are not stored anywhere, so each start creates a key.
  const output = await runCommand(['create-key', '--email', email, '--name', 'pnpm dev', '--expires-in', '30d'], env);
  return { env, lines: helloLines(output.trim()) };
}

/** Kept beside the database: without this key, the secrets sealed in that database could not be opened. */
async function developmentKeyFile(): Promise<string> {
  const file = join(await persistentFolder('server'), 'master-keys.yaml');
  if (!existsSync(file)) {
    const key = `- id: development\n  key: "${randomBytes(32).toString('base64')}"\n`;
    await writeFile(file, key, { mode: 0o600, flag: 'wx' });
  }
  return file;
}

function helloLines(key: string): string[] {
  return [
    `  reference http://127.0.0.1:${environment.BERTH_API_PORT ?? '8080'}/docs`,
    `  user      ${email}, admin of the workspace ${workspace}`,
    `  key       ${key}`,
    '',
    'Now try the lines of "Start in a minute" in README.md. They begin with:',
    `  export KEY=${key}`,
  ];
}
