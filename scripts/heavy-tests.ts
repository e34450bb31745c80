// pnpm e2e|chaos|heavy [name] [--full] [vitest arguments]: runs tests/<e2e|chaos>/<name>, or with `heavy` both folders.
// `pnpm e2e runner-sleep` runs services/runner/test/e2e/sleep, and `pnpm e2e runner` all of services/runner/test/e2e.
// --full selects both isolation classes and the full numbers. A test that the small size skips runs in full when it is
// named.
import { globSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { environment } from '@berth/telemetry';
import { alone, fileShares, heavyFolders } from './verify/time-budget.ts';

const [kind = 'heavy', ...words] = process.argv.slice(2);
const folders = globSync(heavyFolders).filter((folder) => kind === 'heavy' || folder.endsWith(`/${kind}`));
const rest = words.filter((word) => word !== '--full');
const name = rest[0]?.startsWith('--') ? undefined : rest.shift();

const entries = folders.flatMap((folder) => {
  const [, service] = /^services\/([^/]+)\//.exec(folder) ?? [];
  const found = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() || entry.name.endsWith('.test.ts'))
    .map((entry) => ({
      name: `${service === undefined ? '' : `${service}-`}${entry.name.replace(/\.test\.ts$/, '')}`,
      path: `${folder}/${entry.name}${entry.isDirectory() ? '/' : ''}`,
    }));
  return service === undefined ? found : [{ name: service, path: `${folder}/` }, ...found];
});
if (name !== undefined && !entries.some((entry) => entry.name === name)) {
  const known = [...new Set(entries.map((entry) => entry.name))];
  console.error(`There is no ${kind} "${name}". Known: ${known.join(', ')}.`);
  process.exit(2);
}
const chosen = name === undefined ? folders : entries.filter((entry) => entry.name === name).map(({ path }) => path);
const shares = Object.entries(fileShares).filter(([file]) => chosen.some((path) => file.startsWith(path)));
const full = words.includes('--full') || (name !== undefined && shares.every(([, share]) => share === 0));
// These take the machine for an hour: each test is told when it ends, and not at the end of its file.
const lanes = name !== undefined && alone.includes(name) ? ['--no-file-parallelism', '--reporter=verbose'] : [];
const vitest = resolve('node_modules/vitest/vitest.mjs');
// Replaces this process: a signal reaches the tests directly, and no parent process waits for them.
process.execve?.(process.execPath, ['node', vitest, 'run', '--project', 'heavy', ...chosen, ...lanes, ...rest], {
  ...environment,
  ...(full ? { BERTH_TEST_FULL: '1' } : {}),
});
