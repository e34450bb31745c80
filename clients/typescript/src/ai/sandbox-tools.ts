// Tools for the AI SDK (npm `ai`): a model runs commands and uses files in one sandbox. The tools have the form that the AI SDK
// documents, so nothing of it is imported.
import type { Sandbox } from '../sandbox/sandbox.ts';
import { type Schema, textSchema } from './text-schema.ts';

interface Tool<Input, Output> {
  readonly description: string;
  readonly inputSchema: Schema<Input>;
  readonly execute: (input: Input, call: { readonly abortSignal?: AbortSignal | undefined }) => Output;
}

export interface SandboxToolsOptions {
  /** Kills a command after this time. Without it there is no limit. */
  readonly killAfterMs?: number | undefined;
  /** Longest text that a tool returns; 30 000 where left out. A command returns the end of each stream, a file its begin. */
  readonly maxCharacters?: number | undefined;
}

export interface CommandOutput {
  readonly stdout: string;
  readonly stderr: string;
  /** Absent while the command runs. */
  readonly exitCode?: number;
  /** True where text was left out. */
  readonly isTruncated: boolean;
}

// No interface: the AI SDK takes a record of tools, and an interface is none.
export type SandboxTools = {
  readonly exec: Tool<{ command: string; cwd?: string }, AsyncGenerator<CommandOutput>>;
  readonly readFile: Tool<{ path: string }, Promise<{ text: string; isTruncated: boolean }>>;
  readonly writeFile: Tool<{ path: string; text: string }, Promise<{ path: string }>>;
  readonly listFiles: Tool<{ path: string }, Promise<{ files: { name: string; size: number }[]; folders: string[] }>>;
};

const path = 'Absolute path.';

export function sandboxTools(sandbox: Sandbox, options: SandboxToolsOptions = {}): SandboxTools {
  const { killAfterMs, maxCharacters = 30_000 } = options;
  return {
    exec: {
      description: 'Runs a command line in the shell of a Linux sandbox, and returns its output and exit code.',
      inputSchema: textSchema(
        { command: 'Command line for the shell.' },
        { cwd: 'Folder that it starts in; that of the sandbox when absent.' },
      ),
      execute: ({ command, cwd }, { abortSignal }) =>
        run(sandbox, command, { cwd, signal: abortSignal, killAfterMs, maxCharacters }),
    },
    readFile: {
      description: 'Reads a text file of the sandbox.',
      inputSchema: textSchema({ path }, {}),
      execute: async (input, { abortSignal }) => {
        const text = await sandbox.files.readText(input.path, abortSignal);
        return { text: text.slice(0, maxCharacters).toWellFormed(), isTruncated: text.length > maxCharacters };
      },
    },
    writeFile: {
      description: 'Writes a text file of the sandbox, with the folders above it. What was in the file is replaced.',
      inputSchema: textSchema({ path, text: 'The whole content.' }, {}),
      execute: async (input, { abortSignal }) => {
        await sandbox.files.write(input.path, input.text, { signal: abortSignal });
        return { path: input.path };
      },
    },
    listFiles: {
      description: 'Lists the files and folders in a folder of the sandbox.',
      inputSchema: textSchema({ path }, {}),
      execute: async (input, { abortSignal }) => {
        const { files, subdirectories } = await sandbox.files.list(input.path, abortSignal);
        return {
          files: files.map(({ name, size }) => ({ name, size })),
          folders: subdirectories.map(({ name }) => name),
        };
      },
    },
  };
}

interface Run {
  readonly cwd: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly killAfterMs: number | undefined;
  readonly maxCharacters: number;
}

/** Yields the output so far whenever there is more, and at the end the result. Leaving the generator kills the command. */
async function* run(
  sandbox: Sandbox,
  command: string,
  { cwd, signal, killAfterMs, maxCharacters }: Run,
): AsyncGenerator<CommandOutput> {
  const output = { stdout: '', stderr: '', isTruncated: false };
  const leaving = new AbortController();
  let isOver = false;
  let news = Promise.withResolvers<void>();
  const add = (stream: 'stdout' | 'stderr') => (text: string) => {
    const all = output[stream] + text;
    output[stream] = all.slice(-maxCharacters).toWellFormed();
    output.isTruncated ||= all.length > maxCharacters;
    news.resolve();
  };
  const end = () => {
    isOver = true;
    news.resolve();
  };
  const running = sandbox.exec(command, {
    ...{ cwd, killAfterMs, onStdout: add('stdout'), onStderr: add('stderr') },
    signal: signal === undefined ? leaving.signal : AbortSignal.any([signal, leaving.signal]),
  });
  running.then(end, end);
  try {
    for (;;) {
      await news.promise;
      news = Promise.withResolvers();
      if (isOver) break;
      yield { ...output };
    }
    yield { ...output, exitCode: (await running).exitCode };
  } finally {
    leaving.abort();
  }
}
