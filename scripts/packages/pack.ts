// Packs a folder with what a client has built, as npm publishes it.
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { lastLine, root, run } from './programs.ts';

const Manifest = z.looseObject({ publishConfig: z.looseObject({}) });

/** `publishConfig` replaces what names sources, as `pnpm publish` does. A package holds what it needs, so it has no dependencies. */
export async function pack(client: string, staged: string, out: string): Promise<string> {
  const source = join(root, 'clients', client);
  const { publishConfig, dependencies, ...manifest } = Manifest.parse(
    JSON.parse(await readFile(join(source, 'package.json'), 'utf8')),
  );
  await writeFile(join(staged, 'package.json'), `${JSON.stringify({ ...manifest, ...publishConfig }, null, 2)}\n`);
  await copyFile(join(source, 'README.md'), join(staged, 'README.md'));
  await copyFile(join(root, 'LICENSE'), join(staged, 'LICENSE'));
  return lastLine(run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', out], staged));
}
