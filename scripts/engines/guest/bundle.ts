// The guest as few files: what it needs to answer its first request in one, and one for each thing it loads later.
import { globSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'rolldown';

/** Threads are started by the name of their file, so each `*-worker.ts` stays one of that name. */
export async function bundleGuest(sources: string, target: string): Promise<void> {
  const entries = [join(sources, 'main.ts'), ...globSync(join(sources, '**/*-worker.ts'))];
  await build({
    input: Object.fromEntries(entries.map((path) => [basename(path, '.ts'), path])),
    platform: 'node',
    logLevel: 'warn',
    treeshake: true,
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    output: {
      dir: target,
      format: 'cjs',
      minify: true,
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
    },
  });
  // Whatever package.json lies above the mount point must not decide how these files are read.
  await writeFile(join(target, 'package.json'), '{"type":"commonjs"}\n');
}
