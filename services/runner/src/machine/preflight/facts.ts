// Facts about the machine that the runner's start depends on, read once.
import { access, constants, readFile } from 'node:fs/promises';
import { release } from 'node:os';
import { delimiter, join } from 'node:path';
import { environment } from '@berth/telemetry';
import { z } from 'zod';
import type { RunCommand } from '../command.ts';
import { loadBridgeFilter } from '../kernel-switches.ts';
import { wholeDisk } from '../whole-disk.ts';

const Runtime = z.object({ runtimeArgs: z.array(z.string()).nullish() });

/** Fields of the engine's `GET /info`. */
export const EngineFacts = z.object({
  ServerVersion: z.string(),
  DockerRootDir: z.string(),
  Driver: z.string(),
  MemoryLimit: z.boolean(),
  CpuCfsQuota: z.boolean(),
  PidsLimit: z.boolean().default(false),
  LiveRestoreEnabled: z.boolean(),
  SecurityOptions: z.array(z.string()).nullish(),
  Runtimes: z.record(z.string(), Runtime),
});
export type EngineFacts = z.infer<typeof EngineFacts>;

export interface Facts {
  readonly userId: number;
  /** Kernel release, as printed by `uname -r`. */
  readonly kernel: string;
  /** Programs that the runner needs and that are not installed. */
  readonly missingPrograms: readonly string[];
  /** Controllers of cgroup v2; undefined if the machine has v1, or both at once. */
  readonly controllers: readonly string[] | undefined;
  /** Error of nft if the kernel does not let it create tables; undefined if it does. */
  readonly nftablesError: string | undefined;
  readonly hasBridgeFilter: boolean;
  /** Maximum connections that the kernel tracks for the whole machine; undefined if the kernel does not report it. */
  readonly trackedConnections: number | undefined;
  /**
   * Whether the program conntrack is installed. It ends the tracking of an instance's connections with the instance.
   */
  readonly hasConntrack: boolean;
  /** Facts of the engine, or the error if its socket does not answer. */
  readonly engine: EngineFacts | { readonly error: string };
  /** Disk that the engine keeps its data on; undefined if it is not a disk of this machine. */
  readonly engineDisk: string | undefined;
}

const programs = ['nft', 'ip', 'sysctl', 'find', 'nice', 'fallocate'];

/** `engineInfo` asks the engine for its `GET /info`. */
export async function readFacts(engineInfo: () => Promise<unknown>, run: RunCommand): Promise<Facts> {
  const missing = await Promise.all(programs.map(async (name) => ((await isInstalled(name)) ? [] : [name])));
  const engine = await engineInfo().then(
    (info) => EngineFacts.parse(info),
    (error) => ({ error: messageOf(error) }),
  );
  return {
    userId: process.getuid?.() ?? 0,
    kernel: release(),
    missingPrograms: missing.flat(),
    controllers: await controllers(),
    nftablesError: await run('nft', ['list', 'tables']).then(() => undefined, messageOf),
    hasBridgeFilter: await loadBridgeFilter(run).then(
      () => true,
      () => false,
    ),
    trackedConnections: await trackedConnections(),
    hasConntrack: await isInstalled('conntrack'),
    engine,
    engineDisk: 'error' in engine ? undefined : await wholeDisk(engine.DockerRootDir),
  };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function isInstalled(program: string): Promise<boolean> {
  const folders = (environment.PATH ?? '').split(delimiter);
  const found = folders.map((folder) =>
    access(join(folder, program), constants.X_OK).then(
      () => true,
      () => false,
    ),
  );
  return (await Promise.all(found)).includes(true);
}

async function trackedConnections(): Promise<number | undefined> {
  const text = await readFile('/proc/sys/net/netfilter/nf_conntrack_max', 'utf8').catch(() => undefined);
  return text === undefined ? undefined : Number(text);
}

async function controllers(): Promise<readonly string[] | undefined> {
  const text = await readFile('/sys/fs/cgroup/cgroup.controllers', 'utf8').catch(() => undefined);
  return text?.trim().split(/\s+/);
}
