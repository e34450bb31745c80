import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { runEnvironment } from '../../engines/run.ts';
import { type Load, LoadReport } from './api-load-messages.ts';
import type { TwoAccounts } from './two-accounts.ts';

const program = join(import.meta.dirname, 'api-load.ts');

export interface RunningLoad {
  readonly pid: number;
  end(): Promise<LoadReport>;
}

/** Sends requests of the greedy account from a separate process. */
export function startLoad({ apiUrl, greedy }: TwoAccounts, load: Omit<Load, 'apiUrl' | 'caller'>): RunningLoad {
  const asked: Load = { apiUrl, caller: greedy.caller, ...load };
  const child = spawn(process.execPath, [program, JSON.stringify(asked)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...runEnvironment() },
  });
  const told = text(child.stdout);
  return {
    pid: child.pid ?? 0,
    async end() {
      child.stdin.end();
      return LoadReport.parse(JSON.parse(await told));
    },
  };
}
