// pnpm settings: writes docs/operations/settings.md from the schemas of the roles.
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { settingsPage } from '@berth/server';

await writeFile(resolve(import.meta.dirname, '../docs/operations/settings.md'), settingsPage());
