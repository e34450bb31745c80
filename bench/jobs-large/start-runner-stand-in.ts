import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { runEnvironment } from '../../engines/run.ts';
import type { RunnerStandIn } from '../../services/runner/test/runner-stand-in.ts';

const program = join(import.meta.dirname, '../../services/runner/test/runner-stand-in.ts');

/** A separate process, because its work must not slow down the measurements in this one. */
export async function startRunnerStandIn(standIn: RunnerStandIn): Promise<AsyncDisposable & { readonly pid: number }> {
  const child = spawn(process.execPath, [program, JSON.stringify(standIn)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...runEnvironment() },
  });
  const ended = once(child, 'exit');
  await Promise.race([once(child.stdout, 'data'), ended]);
  if (child.exitCode !== null) throw new Error(`The stand-in for the runner ended with ${child.exitCode}.`);
  return {
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
