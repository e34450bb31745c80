// Engines that stay up between commands (`pnpm dev`, `pnpm engines up`). A small file per engine stores its address.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { environment } from '@berth/telemetry';
import type { Engine } from './engine.ts';
import { engineFolder } from './folders.ts';
import { chosenVersion } from './postgres-binaries.ts';
import { isInRun, runFolder } from './run.ts';

/** Starts the engine unless it already answers; returns its address either way. */
export async function up(engine: Engine): Promise<string> {
  const running = await runningUrl(engine);
  if (running) return running;
  const folder = await persistentFolder(engine.name);
  const { url } = await engine.start({ dataFolder: folder });
  await writeFile(join(folder, 'url'), url, { mode: 0o600 });
  return url;
}

export async function down(engine: Engine): Promise<string> {
  const folder = await persistentFolder(engine.name);
  await engine.stop(folder);
  await rm(join(folder, 'url'), { force: true });
  return 'down';
}

/** Stops the engine and removes its data. */
export async function remove(engine: Engine): Promise<string> {
  await down(engine);
  await rm(await persistentFolder(engine.name), { recursive: true, force: true });
  return 'removed';
}

export async function status(engine: Engine): Promise<string> {
  const url = await runningUrl(engine);
  return url ? `up at ${url}` : 'down';
}

async function runningUrl(engine: Engine): Promise<string | undefined> {
  const file = join(await persistentFolder(engine.name), 'url');
  if (!existsSync(file)) return undefined;
  const url = await readFile(file, 'utf8');
  return (await engine.ready(url)) ? url : undefined;
}

/**
 * One folder per clone, or per name in ENGINES_NAME: two working copies never share a database by accident. Inside a
 * run the folder belongs to the run.
 */
export function persistentFolder(name: string): Promise<string> {
  const clone = createHash('sha256')
    .update(`${import.meta.dirname} ${environment.ENGINES_NAME ?? ''}`)
    .digest('hex')
    .slice(0, 12);
  const folder = `${name}-${chosenVersion()}`;
  return isInRun() ? runFolder(clone.slice(0, 6), folder) : engineFolder('standing', clone, folder);
}
