// Runs programs of the operating system from one small shell that stays open. A fork copies the page tables of the
// forking process: that blocks the runner for ten milliseconds, a shell for a fraction of one.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';

/** Runs a program to its end and returns its output; throws with its error output. Programs run one after the other. */
export type RunCommand = (program: string, args: readonly string[], input?: string) => Promise<string>;

const notFound = 127;

/** `enter` is a command line put before the shell, to run it in another network namespace than that of this process. */
export function openShell(enter: readonly string[] = []): RunCommand {
  let shell: Shell | undefined;
  let last: Promise<unknown> = Promise.resolve();
  return (program, args, input = '') => {
    const done = last.then(async () => {
      shell = shell?.isAlive ? shell : new Shell(enter);
      const { code, output, complaint } = await shell.run([program, ...args].map(quoted).join(' '), input);
      if (code === notFound) throw new Error(`${program} cannot be run. Install nftables, iproute2 and procps.`);
      if (code !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${complaint.trim()}`);
      return output;
    });
    last = done.catch(() => {});
    return done;
  };
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

interface Outcome {
  readonly code: number;
  readonly output: string;
  readonly complaint: string;
}

class Shell {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;

  constructor(enter: readonly string[]) {
    const [first = 'sh', ...rest] = [...enter, 'sh'];
    this.#child = spawn(first, rest, { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child.stdin.on('error', () => {});
    this.#child.stdout.setEncoding('utf8');
    this.#child.stderr.setEncoding('utf8');
    // The shell ends with this process and does not keep it alive.
    this.#child.unref();
  }

  get isAlive(): boolean {
    return this.#child.pid !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  run(line: string, input: string): Promise<Outcome> {
    const { stdin, stdout, stderr } = this.#child;
    // Random, so that no output can contain it beforehand.
    const mark = randomBytes(16).toString('hex');
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    let said = '';
    let complaint = '';
    const look = (): void => {
      const end = new RegExp(`\\n${mark} (\\d+)\\n$`).exec(said);
      if (end === null || !complaint.endsWith(`\n${mark}\n`)) return;
      const output = said.slice(0, end.index);
      resolve({ code: Number(end[1]), output, complaint: complaint.slice(0, -mark.length - 2) });
    };
    const onOutput = (chunk: string): void => {
      said += chunk;
      look();
    };
    const onComplaint = (chunk: string): void => {
      complaint += chunk;
      look();
    };
    const onEnd = (): void => reject(new Error(`The shell ended within ${line.slice(0, 200)}.`));
    stdout.on('data', onOutput);
    stderr.on('data', onComplaint);
    this.#child.once('error', reject).once('exit', onEnd);
    stdin.write(
      `${line} <<'${mark}'\n${input}\n${mark}\ncode=$?; printf '\\n%s %d\\n' ${mark} $code; printf '\\n%s\\n' ${mark} >&2\n`,
    );
    return promise.finally(() => {
      stdout.off('data', onOutput);
      stderr.off('data', onComplaint);
      this.#child.off('error', reject).off('exit', onEnd);
    });
  }
}
