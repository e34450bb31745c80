// Runs a program of a test that listens on ports. The program prints `listening` once it does; an early end is an
// error.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

export class Listener implements AsyncDisposable {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Starts `node <program> <ports>` in the network namespace at that path, or in the machine's own. */
  static async start(program: string, ports: readonly number[], netns?: string): Promise<Listener> {
    const words = [process.execPath, program, ...ports.map(String)];
    const [command = '', ...args] = netns === undefined ? words : ['nsenter', `--net=${netns}`, '--', ...words];
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`The listener on ${ports.join(' and ')} ended with ${code} before it listened.`);
    });
    await Promise.race([once(child.stdout, 'data'), ended]);
    // `check` notices a later end.
    ended.catch(() => {});
    return new Listener(child);
  }

  /** Throws if the program has ended: a refused connection would then prove nothing. */
  check(): void {
    const { exitCode, signalCode } = this.#child;
    if (exitCode !== null || signalCode !== null) throw new Error(`The listener has ended: ${exitCode ?? signalCode}.`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { exitCode, signalCode } = this.#child;
    if (exitCode !== null || signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}
