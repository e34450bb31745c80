// For checks of settings that others write, such as those of the Helm chart.
import type { ConfigSources } from '@berth/telemetry';
import { commands } from './commands/registry.ts';
import { roles } from './roles/registry.ts';
import { loadServerConfig } from './server-config.ts';

/** Reads the settings as the role or command of that name does, and throws as its start would. */
export function acceptSettings(name: string, sources: Pick<ConfigSources, 'file' | 'env'>): void {
  const reader = [...roles, ...commands].find((each) => each.name === name);
  if (reader === undefined) throw new Error(`There is no role or command ${name}.`);
  loadServerConfig([reader], { roles, commands }, sources);
}
