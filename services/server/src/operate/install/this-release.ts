import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { releaseFolder } from '@berth/release';
import { z } from 'zod';
import { Fault } from '../machine/fault.ts';
import type { MachineContext } from './machine-context.ts';

export async function thisRelease(): Promise<MachineContext['release']> {
  if (releaseFolder === undefined)
    throw new Fault(
      'This is a clone of the repository, and only a release is installed.',
      'pnpm release && sh deploy/install.sh --from dist/release/berth-VERSION-linux-x64.tar.gz',
    );
  const about = z
    .object({ version: z.string() })
    .parse(JSON.parse(await readFile(join(releaseFolder, 'release.json'), 'utf8')));
  return { folder: releaseFolder, version: about.version };
}
