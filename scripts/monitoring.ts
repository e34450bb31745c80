// pnpm monitoring: writes the rules and dashboards of deploy/monitoring.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { monitoringFiles } from './monitoring/files.ts';

const folder = resolve(import.meta.dirname, '../deploy/monitoring');
for (const [path, text] of Object.entries(monitoringFiles())) {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}
