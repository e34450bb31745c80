// Stand-in for ClickHouse's server, which no registry of packages has: its engine as a library, behind our HTTP front.
import { readFileSync } from 'node:fs';
import { chmod, copyFile, cp, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { type ImageRecipe, searchPath } from './recipe.ts';
import { versionIn } from './version-in.ts';

const home = 'opt/clickhouse-stand-in';
const sources = ['clickhouse-server.ts', 'clickhouse-request.ts', 'box/images/clickhouse-entrypoint.ts'].map((path) =>
  resolve(import.meta.dirname, '../..', path),
);

export function clickhouseImage(): ImageRecipe {
  const require = createRequire(import.meta.url);
  const chdb = dirname(require.resolve('chdb/package.json'));
  const library = dirname(createRequire(join(chdb, 'index.js')).resolve('@chdb/lib-linux-x64-gnu/package.json'));
  const version = versionIn(library);
  return {
    image: `berth-box/clickhouse-stand-in:${version}`,
    variable: 'BERTH_CLICKHOUSE_IMAGE',
    layer: {
      name: 'clickhouse',
      packages: [],
      inputs: [versionIn(chdb), version, process.version, ...sources.map((path) => readFileSync(path, 'utf8'))],

      async finish(root) {
        await copyFile(process.execPath, join(root, 'usr/local/bin/node'));
        await chmod(join(root, 'usr/local/bin/node'), 0o755);
        const modules = join(root, home, 'node_modules');
        await mkdir(modules, { recursive: true });
        for (const path of sources) await copyFile(path, join(root, home, basename(path)));
        for (const [name, from] of [
          ['chdb', chdb],
          ['@chdb/lib-linux-x64-gnu', library],
        ] as const)
          await cp(from, join(modules, name), { recursive: true, dereference: true });
      },
    },
    config: {
      Env: [`PATH=${searchPath}`, 'TZ=UTC'],
      Entrypoint: ['/usr/local/bin/node', `/${home}/clickhouse-entrypoint.ts`],
      WorkingDir: '/',
    },
  };
}
