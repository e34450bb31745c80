// A provider for ComputeSDK (npm `computesdk`): the same program runs on several services. The provider has the form that
// ComputeSDK documents, so nothing of it is imported.
import { Berth } from '../berth.ts';
import { InvalidRequestError, NotFoundError } from '../http/errors.ts';
import type { BerthOptions } from '../management-api.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';

export interface CreateOptions {
  readonly name?: string;
  readonly image?: string;
  /** An image too, where `image` is left out. */
  readonly templateId?: string;
  readonly snapshotId?: string;
  /** MB. */
  readonly memory?: number;
  readonly envs?: Readonly<Record<string, string>>;
  /** Become labels. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Lifetime in milliseconds. */
  readonly timeout?: number;
  readonly signal?: AbortSignal;
}

export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Milliseconds after which the command is killed. */
  readonly timeout?: number;
  /** Answers when the command has started. */
  readonly background?: boolean;
  readonly onStdout?: (text: string) => void;
  readonly onStderr?: (text: string) => void;
}

const provider = 'berth';

/** Reads `BERTH_URL`, `BERTH_KEY` and `BERTH_WORKSPACE` where options are left out. */
export function berthProvider(options: BerthOptions = {}) {
  const { sandboxes } = new Berth(options);
  const provided = {
    name: provider,
    sandbox: {
      async create({ snapshotId, ...wish }: CreateOptions = {}) {
        if (snapshotId !== undefined) throw noSnapshots();
        const labels = Object.entries(wish.metadata ?? {}).map(([name, value]) => [name, textOf(value)]);
        return computeSandbox(
          await sandboxes.create({
            ...{ name: wish.name, image: wish.image ?? wish.templateId, memory: wish.memory },
            ...{ env: wish.envs, labels: Object.fromEntries(labels), signal: wish.signal },
            ttl: wish.timeout === undefined ? undefined : `${Math.ceil(wish.timeout / 1_000)}s`,
          }),
        );
      },
      async getById(sandboxId: string) {
        const found = await sandboxes.get(sandboxId).catch(nothing);
        // What has ended can be read for a while.
        return found === undefined || stateOf(found) === 'stopped' ? null : computeSandbox(found);
      },
      async list() {
        const found = await Array.fromAsync(sandboxes.list());
        return found.filter((each) => stateOf(each) !== 'stopped').map(computeSandbox);
      },
      async destroy(sandboxId: string) {
        await (await sandboxes.get(sandboxId).catch(nothing))?.delete();
      },
    },
  };

  function computeSandbox(box: Sandbox) {
    return {
      ...{ sandboxId: box.name, provider },
      getInstance: () => box,
      getProvider: () => provided,
      destroy: () => box.delete(),
      runCommand: (command: string, wish: CommandOptions = {}) => runCommand(box, command, wish),
      async getInfo() {
        const fresh = await box.refresh();
        const { metadata, expiresIn } = fresh.info;
        return {
          ...{ id: box.name, provider, status: stateOf(fresh), createdAt: new Date(metadata.createdAt ?? 0) },
          // Milliseconds that are left; 0 without an end.
          timeout: (expiresIn ?? 0) * 1_000,
          metadata: { ...metadata.labels },
        };
      },
      /** The port has to be one of the sandbox. The address takes requests with the key. */
      async getUrl({ port, protocol }: { port: number; protocol?: string }) {
        const url = await box.port(port);
        return protocol === undefined ? url : url.replace(/^\w+/, protocol);
      },
      filesystem: filesOf(box),
    };
  }

  return provided;
}

async function runCommand(box: Sandbox, command: string, wish: CommandOptions) {
  const { cwd, env, timeout: killAfterMs, background, onStdout, onStderr } = wish;
  const startedAt = performance.now();
  const durationMs = () => Math.round(performance.now() - startedAt);
  if (background) {
    await box.spawn(command, { cwd, env });
    return { stdout: '', stderr: '', exitCode: 0, durationMs: durationMs() };
  }
  const { stdout, stderr, exitCode } = await box.exec(command, { cwd, env, killAfterMs, onStdout, onStderr });
  return { stdout, stderr, exitCode, durationMs: durationMs() };
}

const filesOf = (box: Sandbox) => ({
  readFile: (path: string) => box.files.readText(path),
  writeFile: (path: string, content: string) => box.files.write(path, content),
  async readdir(path: string) {
    const { files, subdirectories } = await box.files.list(path);
    return [
      ...files.map(({ name, size, lastModified }) => ({
        ...{ name, size, type: 'file' as const, modified: new Date(lastModified) },
      })),
      ...subdirectories.map(({ name }) => ({ name, type: 'directory' as const })),
    ];
  },
  mkdir: (path: string) => box.files.makeFolder(path),
  exists: async (path: string) => (await box.exec('test -e "$FILE"', { env: { FILE: path } })).exitCode === 0,
  remove: (path: string) => box.files.remove(path, { recursive: true }),
});

const stateOf = ({ info }: Sandbox): 'running' | 'stopped' | 'error' => {
  if (info.status === 'FAILED') return 'error';
  return ['DEACTIVATED', 'DELETING', 'TERMINATED'].includes(info.status ?? '') ? 'stopped' : 'running';
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function nothing(error: unknown): undefined {
  if (!(error instanceof NotFoundError)) throw error;
}

const noSnapshots = (): InvalidRequestError =>
  new InvalidRequestError({
    code: 'no_snapshots',
    status: undefined,
    message: 'There are no snapshots of sandboxes. Leave out "snapshotId", and give an image.',
  });
