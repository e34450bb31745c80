// Deployments that somebody has logged in to, in a file that only its owner reads.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { environment } from './environment.ts';

export interface Login {
  readonly url: string;
  readonly key: string;
  readonly workspace?: string | undefined;
  /** Where it is another than the deployment tells. */
  readonly gatewayUrl?: string | undefined;
}

export interface Settings {
  /** Name of the deployment that is used where none is named. */
  readonly current?: string | undefined;
  readonly deployments: Readonly<Record<string, Login>>;
}

const ownerOnly = { file: 0o600, folder: 0o700 };

const path = (): string => join(environment.XDG_CONFIG_HOME ?? join(homedir(), '.config'), 'berth', 'config.json');

export function readSettings(): Settings {
  try {
    const { current, deployments = {} }: Partial<Settings> = JSON.parse(readFileSync(path(), 'utf8'));
    return { current, deployments };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { deployments: {} };
    throw new Error(`${path()} cannot be read: ${error instanceof Error ? error.message : error}. Mend or delete it.`);
  }
}

export function writeSettings(settings: Settings): string {
  mkdirSync(dirname(path()), { recursive: true, mode: ownerOnly.folder });
  writeFileSync(path(), `${JSON.stringify(settings, null, 2)}\n`, { mode: ownerOnly.file });
  // The mode above is for a new file alone.
  chmodSync(path(), ownerOnly.file);
  return path();
}
