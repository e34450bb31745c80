// pnpm errors: writes docs/errors.md from the error tables.
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { errorsPage } from '@berth/api';

await writeFile(resolve(import.meta.dirname, '../docs/errors.md'), errorsPage());
