import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from './settings.ts';

export type BuildInfo = { version: string; gitCommit: string; buildTime: string };

const sourcesBuildInfo: BuildInfo = { version: 'sources', gitCommit: '', buildTime: '' };

let known: Promise<BuildInfo> | undefined;

/** Build information, written beside the bundle; plain sources have none. Read once, because health is called often. */
export function readBuildInfo({ runtimeFolder }: Pick<Settings, 'runtimeFolder'>): Promise<BuildInfo> {
  known ??= read(runtimeFolder);
  return known;
}

async function read(runtimeFolder: string): Promise<BuildInfo> {
  try {
    const value: unknown = JSON.parse(await readFile(join(runtimeFolder, 'guest', 'build.json'), 'utf8'));
    if (typeof value !== 'object' || value === null) return sourcesBuildInfo;
    const entry = (name: keyof BuildInfo) => String(new Map<string, unknown>(Object.entries(value)).get(name) ?? '');
    return { version: entry('version'), gitCommit: entry('gitCommit'), buildTime: entry('buildTime') };
  } catch {
    return sourcesBuildInfo;
  }
}
