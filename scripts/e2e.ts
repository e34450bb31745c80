// pnpm e2e <name> [--full] [vitest arguments]: runs tests/e2e/<name>. --full asks for the full-size profile.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { environment } from '@berth/telemetry';

const FOLDER = 'tests/e2e';
const arguments_ = process.argv.slice(2);
const full = arguments_.includes('--full');
const [name, ...rest] = arguments_.filter((argument) => argument !== '--full');

const known = existsSync(FOLDER) ? readdirSync(FOLDER).map((entry) => entry.replace(/\.test\.ts$/, '')) : [];
if (name !== undefined && !known.includes(name)) {
  console.error(`There is no e2e "${name}". Known: ${known.join(', ') || 'none yet'}.`);
  process.exit(2);
}
const { status } = spawnSync('vitest', ['run', '--project', 'heavy', `${FOLDER}/${name ?? ''}`, ...rest], {
  stdio: 'inherit',
  env: { ...environment, ...(full ? { BERTH_TEST_FULL: '1' } : {}) },
});
process.exitCode = status ?? 1;
