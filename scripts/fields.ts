// pnpm fields: writes docs/operations/fields.md from the contract's lists.
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fieldsPage } from '@berth/api';

await writeFile(resolve(import.meta.dirname, '../docs/operations/fields.md'), fieldsPage());
