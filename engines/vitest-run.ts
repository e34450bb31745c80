// Runs once per vitest process: its workers, and all processes that they start, belong to its run.
import { beginRun } from './begin-run.ts';
import { statOf } from './processes.ts';

export default async function setup(): Promise<() => Promise<void>> {
  const run = await beginRun();
  // Vitest ends its workers itself, after this.
  return () => run.end((pid) => statOf(pid)?.parent === process.pid);
}
