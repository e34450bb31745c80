import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export type KernelWatch = Disposable & {
  /** Paths reported so far. */
  paths(): string[];
  until(path: string): Promise<void>;
};

/** Watches a folder by fanotify, independently of the guest, to check the guest's watch against. */
export async function startKernelWatch(folder: string, buildFolder: string): Promise<KernelWatch> {
  const program = join(buildFolder, 'kernel-watch');
  execFileSync('gcc', ['-O1', '-Wall', '-o', program, join(import.meta.dirname, 'kernel-watch.c')]);
  const child = spawn(program, [folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const chunks: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => chunks.push(text));
  const paths = () => chunks.join('').split('\0').slice(1, -1);
  await once(child.stdout, 'data');
  return {
    paths,
    async until(path) {
      const timeout = AbortSignal.timeout(45_000);
      while (!paths().includes(path)) await once(child.stdout, 'data', { signal: timeout });
    },
    [Symbol.dispose]: () => void child.kill('SIGKILL'),
  };
}
