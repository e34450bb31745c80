// pnpm e2e|chaos [name] [--full] [vitest arguments]: runs tests/<e2e|chaos>/<name>. --full asks for the full-size profile.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { environment } from '@berth/telemetry';

const [kind = 'e2e', ...words] = process.argv.slice(2);
const folder = `tests/${kind}`;
const full = words.includes('--full');
const [name, ...rest] = words.filter((word) => word !== '--full');

const known = existsSync(folder) ? readdirSync(folder).map((entry) => entry.replace(/\.test\.ts$/, '')) : [];
if (name !== undefined && !name.startsWith('--') && !known.includes(name)) {
  console.error(`There is no ${kind} "${name}". Known: ${known.join(', ') || 'none yet'}.`);
  process.exit(2);
}
const chosen =
  name === undefined || name.startsWith('--') ? [folder, ...(name === undefined ? [] : [name])] : [`${folder}/${name}`];
const { status } = spawnSync('vitest', ['run', '--project', 'heavy', ...chosen, ...rest], {
  stdio: 'inherit',
  env: { ...environment, ...(full ? { BERTH_TEST_FULL: '1' } : {}) },
});
process.exitCode = status ?? 1;
