import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { releaseFolder } from '@berth/release';
import { z } from 'zod';
import { Fault } from '../machine/fault.ts';
import type { UpContext } from './up-context.ts';

const About = z.object({ version: z.string() });

/** The release that this program is part of. */
export async function thisRelease(): Promise<UpContext['release']> {
  if (releaseFolder === undefined)
    throw new Fault(
      'This is a clone of the repository, and only a release is installed.',
      'pnpm release && sh deploy/install.sh --from dist/release/berth-VERSION-linux-x64.tar.gz',
    );
  const { version } = About.parse(JSON.parse(await readFile(join(releaseFolder, 'release.json'), 'utf8')));
  return { folder: releaseFolder, version };
}
