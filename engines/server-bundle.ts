// The server as a release has it: each program is one file, with others that they share or load later, and data lies beside them.
// It starts with a third of the CPU time that its sources take, so tests run it too.
import { existsSync } from 'node:fs';
import { chmod, cp, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { assets, programs } from '@berth/release';
import { build, type Plugin } from 'rolldown';
import { engineFolder } from './folders.ts';
import { renameUnlessThere } from './guest/rename-unless-there.ts';
import { hashFiles } from './hash-files.ts';
import { removeOld } from './remove-old.ts';

const clone = resolve(import.meta.dirname, '..');
const services = ['api', 'gateway', 'orchestrator', 'runner', 'server'].map((name) => `services/${name}/src`);
const inputs = ['packages', ...services, 'engines/server-bundle.ts', 'pnpm-lock.yaml', ...assets];

/** The server of these sources, bundled when it does not exist yet. */
export async function builtServer(): Promise<{ readonly folder: string; readonly program: string }> {
  const root = await engineFolder('server');
  const folder = join(root, hashFiles(clone, inputs));
  if (!existsSync(folder)) {
    const staging = await mkdtemp(join(root, 'building-'));
    try {
      await assembleServer(staging);
      await chmod(staging, 0o755);
      await renameUnlessThere(staging, folder);
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  }
  await utimes(folder, new Date(), new Date());
  await removeOld(root);
  return { folder, program: join(folder, 'server/berth-server.js') };
}

/** Returns the paths of all modules in the bundle. */
export async function assembleServer(target: string): Promise<readonly string[]> {
  for (const asset of assets) await cp(join(clone, asset), join(target, asset), { recursive: true });
  const dir = join(target, 'server');
  const { output } = await build({
    input: Object.fromEntries(Object.entries(programs).map(([name, path]) => [name, join(clone, path)])),
    platform: 'node',
    logLevel: 'warn',
    plugins: [withoutSsh],
    // pg does without it.
    external: ['pg-native'],
    transform: { target: 'node24', define: { __dirname: 'import.meta.dirname', __filename: 'import.meta.filename' } },
    // Not minified: it starts no faster, and errors name the functions of the sources.
    output: { dir, format: 'esm', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
  });
  await writeFile(join(dir, 'package.json'), '{"type":"module"}\n');
  return output.flatMap((part) => (part.type === 'chunk' ? Object.keys(part.modules) : []));
}

/** Docker is reached by a socket of the machine. The other way would bring along native code. */
const withoutSsh: Plugin = {
  name: 'without-ssh',
  resolveId: (id) => (id === 'ssh2' ? { id } : null),
  load: (id) => (id === 'ssh2' ? 'export default {};' : null),
};
