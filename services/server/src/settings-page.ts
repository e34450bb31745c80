// Generates docs/operations/settings.md: every setting of every role, from the schemas that read them.
import { describeSettings, type SettingDescription } from '@berth/telemetry';
import { z } from 'zod';
import { commands } from './commands/registry.ts';
import { roles } from './roles/registry.ts';
import { serverSections } from './sections/server.ts';
import { mergeSections } from './server-config.ts';

export function allSettings(): SettingDescription[] {
  const program = mergeSections([...roles, ...commands]);
  return describeSettings(z.object({ ...program, ...serverSections(roles) }));
}

const cell = (text: string): string => text.replaceAll('|', '\\|');

function row({ path, variable, fallback, required, reason }: SettingDescription): string {
  const value = required ? '**must be set**' : fallback === undefined ? '–' : `\`${cell(fallback)}\``;
  return `| \`${path}\` | \`${variable}\` | ${value} | ${cell(reason)} |`;
}

export function settingsPage(): string {
  return [
    '# Settings',
    '',
    'One YAML file (`--config berth.yaml`), every key of which may also be given as a variable; a variable wins. `…_FILE` instead of a',
    'variable names a file that holds the value, for secrets. A list or an object in a variable is YAML or JSON text. A key that does',
    'not exist, or a value that does not fit, stops the start and says why. This page is made from the code by `pnpm settings`.',
    '',
    '| Key | Variable | Default | What for |',
    '|---|---|---|---|',
    ...allSettings().map(row),
    '',
  ].join('\n');
}
