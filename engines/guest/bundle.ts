// Bundles the guest into a few files: one with everything for the first request, and one for each part that it loads
// later.
import { globSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'rolldown';

/**
 * Threads are started by file name, so each `*-worker.ts` keeps its own file of that name. Returns the paths of all modules in the
 * bundle.
 */
export async function bundleGuest(sources: string, target: string): Promise<readonly string[]> {
  const entries = [join(sources, 'main.ts'), ...globSync(join(sources, '**/*-worker.ts'))];
  const { output } = await build({
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
  // A package.json above the mount point must not decide how these files are read.
  await writeFile(join(target, 'package.json'), '{"type":"commonjs"}\n');
  return output.flatMap((part) => (part.type === 'chunk' ? Object.keys(part.modules) : []));
}
