import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface EmptyRegistry extends Disposable {
  /** Host and port, as image references name it. */
  readonly host: string;
}

const program = fileURLToPath(new URL('./empty-registry.ts', import.meta.url));

/** Starts a registry without images in the network namespace of an engine. */
export async function startEmptyRegistry(netns: string): Promise<EmptyRegistry> {
  const child = spawn('nsenter', [`--net=${netns}`, '--', process.execPath, program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const port of createInterface({ input: child.stdout })) {
    return { host: `127.0.0.1:${port}`, [Symbol.dispose]: () => void child.kill() };
  }
  throw new Error('The registry ended before it said its port.');
}
