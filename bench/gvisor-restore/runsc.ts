// Drives runsc without Docker, as the runner would for deep sleep. A detached sandbox keeps its standard output open,
// so it writes to a file: reading from a pipe would never end.
import { execFile, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const commandMs = 60_000;

export type Runsc = {
  /** Starts the command in a sandbox with this id. */
  start(id: string, command: readonly string[]): void;
  /** Runs a command inside and returns its output. */
  exec(id: string, command: readonly string[]): Promise<string>;
  /** Writes the sandbox's memory to the folder and ends it. */
  checkpoint(id: string, image: string): void;
  restore(id: string, image: string): void;
  remove(id: string): void;
};

export type RunscOptions = {
  program: string;
  /** Holds state, bundles and logs. */
  folder: string;
  rootFolder: string;
  /** Mounted at /servers. */
  serversFolder: string;
};

export function openRunsc({ program, folder, rootFolder, serversFolder }: RunscOptions): Runsc {
  const flags = [`--root=${join(folder, 'state')}`, '--platform=systrap', '--network=none', '--overlay2=none'];
  const bundleOf = (id: string): string => join(folder, id);

  function call(id: string, ...words: string[]): void {
    const log = openSync(join(folder, `${id}.log`), 'a');
    const { status, error } = spawnSync(program, [...flags, ...words], {
      stdio: ['ignore', log, log],
      timeout: commandMs,
    });
    closeSync(log);
    if (status !== 0)
      throw new Error(`runsc ${words[0]} failed: ${error?.message ?? `see ${join(folder, `${id}.log`)}`}`);
  }

  return {
    start(id, command) {
      mkdirSync(bundleOf(id), { recursive: true });
      writeFileSync(join(bundleOf(id), 'config.json'), JSON.stringify(bundle(command, rootFolder, serversFolder)));
      call(id, 'run', '--detach', `--bundle=${bundleOf(id)}`, id);
    },
    async exec(id, command) {
      const { stdout } = await run(program, [...flags, 'exec', id, ...command], { timeout: commandMs });
      return stdout;
    },
    checkpoint(id, image) {
      mkdirSync(image, { recursive: true });
      call(id, 'checkpoint', `--image-path=${image}`, '--compression=none', '--exclude-committed-zero-pages', id);
      call(id, 'delete', '--force', id);
    },
    restore: (id, image) =>
      call(id, 'restore', '--detach', '--background', `--image-path=${image}`, `--bundle=${bundleOf(id)}`, id),
    remove: (id) => call(id, 'delete', '--force', id),
  };
}

const bundle = (command: readonly string[], rootFolder: string, serversFolder: string) => ({
  ociVersion: '1.0.0',
  process: {
    args: command,
    cwd: '/',
    env: ['PATH=/usr/local/bin:/usr/bin:/bin'],
    user: { uid: 0, gid: 0 },
    capabilities: {},
  },
  root: { path: rootFolder, readonly: true },
  mounts: [
    { destination: '/proc', type: 'proc', source: 'proc' },
    { destination: '/tmp', type: 'tmpfs', source: 'tmpfs' },
    { destination: '/servers', type: 'bind', source: serversFolder, options: ['ro', 'bind'] },
  ],
  linux: { namespaces: [{ type: 'pid' }, { type: 'mount' }, { type: 'ipc' }, { type: 'uts' }, { type: 'network' }] },
});
