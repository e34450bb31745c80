import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const Package = z.object({ version: z.string() });

/** Version of the package in a folder. */
export const versionIn = (folder: string): string =>
  Package.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))).version;
