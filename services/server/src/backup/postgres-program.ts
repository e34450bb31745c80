// pg_dump and pg_restore as child processes. The password is in their environment, never among their arguments, which every
// account of the machine may read.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { environment } from '@berth/telemetry';

const maxErrorBytes = 4_000;

/** `words` are the program and its first arguments, as the operator has set them. */
function start(words: readonly string[], more: readonly string[], databaseUrl: string): ChildProcess {
  const [program = '', ...first] = words;
  const address = new URL(databaseUrl);
  const password = decodeURIComponent(address.password);
  address.password = '';
  return spawn(program, [...first, ...more, `--dbname=${address.href}`], {
    env: { ...withoutSettings(), PGPASSWORD: password },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

/** Settings of the server may hold secrets, such as the master keys. */
const withoutSettings = (): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('BERTH_')));

interface Ended {
  readonly code: number | null;
  readonly words: string;
}

async function ended(child: ChildProcess): Promise<Ended> {
  let words = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    words = `${words}${chunk}`.slice(-maxErrorBytes);
  });
  const [code] = await once(child, 'close');
  return { code, words };
}

const failed = (words: readonly string[], { code, words: said }: Ended): Error =>
  new Error(
    `${words.join(' ')} ended with code ${code}: ${said.trim() || 'it said nothing'}. It must have the major version of the server; backup.pgDump and backup.pgRestore name it.`,
  );

const notStarted = (words: readonly string[], cause: unknown): Error =>
  new Error(
    `${words[0]} cannot be started. Install the client of PostgreSQL, or name its program with backup.pgDump and backup.pgRestore.`,
    { cause },
  );

/** The output of the program. Throws at its end unless it succeeded. */
export async function* readFrom(
  words: readonly string[],
  more: readonly string[],
  databaseUrl: string,
): AsyncGenerator<Buffer> {
  const child = start(words, more, databaseUrl);
  const end = ended(child);
  // Awaited below; a reader that stops earlier does not.
  end.catch(() => {});
  child.stdin?.end();
  try {
    for await (const chunk of child.stdout ?? []) yield Buffer.from(chunk);
    const result = await end.catch((error: unknown) => {
      throw notStarted(words, error);
    });
    if (result.code !== 0) throw failed(words, result);
  } finally {
    child.kill();
  }
}

/** Resolves when the program has read everything and has succeeded. */
export async function writeTo(
  words: readonly string[],
  more: readonly string[],
  databaseUrl: string,
  data: AsyncIterable<Buffer>,
): Promise<void> {
  const child = start(words, more, databaseUrl);
  const end = ended(child).catch((error: unknown) => {
    throw notStarted(words, error);
  });
  child.stdout?.resume();
  if (child.stdin === null) throw new Error(`${words[0]} takes no input.`);
  const [result, written] = await Promise.allSettled([
    end,
    pipeline(Readable.from(data, { objectMode: false }), child.stdin),
  ]);
  if (written.status === 'rejected' && !isBrokenPipe(written.reason)) {
    child.kill();
    throw written.reason;
  }
  if (result.status === 'rejected') throw result.reason;
  if (result.value.code !== 0) throw failed(words, result.value);
}

/** The program has ended before it read everything; it says why. */
const isBrokenPipe = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  ['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE'].includes(String(error.code));
