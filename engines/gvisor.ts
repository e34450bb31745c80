// gVisor's runtime, built from source by the Go tool: Debian's version is from 2022, many times slower on files, and
// fails to change the limits of a running container. Built once per version into the cache outside the clone.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { environment } from '@berth/telemetry';
import type { Installable } from './engine.ts';
import { engineFolder } from './folders.ts';
import { goProgram } from './go.ts';

// A commit of gVisor's branch `go`, which the Go tool can build. `go list -m gvisor.dev/gvisor@go` prints the newest.
// BERTH_TEST_GVISOR selects another one, so that a bench can compare two builds.
const version = environment.BERTH_TEST_GVISOR ?? 'v0.0.0-20260905035102-160fafc42237';

export const gvisor: Installable = {
  name: 'gvisor',

  async install() {
    if (await installedRunsc()) return;
    const root = await engineFolder('gvisor');
    const staging = await mkdtemp(join(root, 'building-'));
    try {
      build(staging, await goProgram());
      assertRuns(join(staging, 'runsc'));
      await rename(join(staging, 'runsc'), await runscPath());
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  },
};

/** Undefined when gVisor is not built: Docker then offers runc alone. */
export async function installedRunsc(): Promise<string | undefined> {
  const path = await runscPath();
  return existsSync(path) ? path : undefined;
}

async function runscPath(): Promise<string> {
  return join(await engineFolder('gvisor'), `runsc-${version}`);
}

function build(binFolder: string, go: string): void {
  const { status } = spawnSync(go, ['install', `gvisor.dev/gvisor/runsc@${version}`], {
    stdio: 'inherit',
    // Static, so that it also runs in the empty root that it creates for its own processes.
    env: { ...environment, GOBIN: binFolder, CGO_ENABLED: '0' },
  });
  if (status !== 0) throw new Error('gVisor could not be built. Go says why above; it needs its module proxy.');
}

function assertRuns(runsc: string): void {
  const { stdout, stderr, error } = spawnSync(runsc, ['--version'], { encoding: 'utf8' });
  if (!stdout?.startsWith('runsc version'))
    throw new Error(`The built runsc does not run: ${error?.message ?? stderr}`);
}
