// An orchestrator in a separate process, for tests that kill and restart it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../../../engines/free-port.ts';
import type { ControlPlane } from './control-plane.ts';
import type { OrchestratorProgram } from './orchestrator-program.ts';

export class OrchestratorProcess implements Disposable {
  readonly #program: OrchestratorProgram;
  #child: ChildProcess | undefined;

  private constructor(program: OrchestratorProgram) {
    this.#program = program;
  }

  static async start({ api, restate }: ControlPlane): Promise<OrchestratorProcess> {
    const { ingressUrl, adminUrl } = restate;
    const program = { databaseUrl: api.databaseUrl, restate: { ingressUrl, adminUrl }, port: await freePort() };
    const started = new OrchestratorProcess(program);
    await started.start();
    return started;
  }

  /** Resolves once the orchestrator serves. */
  async start(): Promise<void> {
    const file = `${import.meta.dirname}/orchestrator-program.ts`;
    const child = spawn(process.execPath, [file, JSON.stringify(this.#program)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child = child;
    await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
    if (child.exitCode !== null) throw new Error(`The orchestrator ended with ${child.exitCode} before it served.`);
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#child = undefined;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  [Symbol.dispose](): void {
    this.#child?.kill('SIGKILL');
  }
}
