import { cp, readFile, realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../../../node_modules');

/** Copies an installed package and its dependencies, one version of each, into a folder that may have no network. */
export async function copyPackages(name: string, into: string): Promise<void> {
  const copied = new Set<string>();
  const waiting = [{ name, beside: root }];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    if (copied.has(next.name)) continue;
    copied.add(next.name);
    const folder = await realpath(join(next.beside, next.name));
    await cp(folder, join(into, 'node_modules', next.name), {
      recursive: true,
      filter: (path) => !/\.(map|d\.[cm]?ts)$/.test(path),
    });
    const { dependencies = {} } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    // The dependencies of a package are beside it in the store.
    const beside = next.name.startsWith('@') ? dirname(dirname(folder)) : dirname(folder);
    for (const needed of Object.keys(dependencies)) waiting.push({ name: needed, beside });
  }
}
