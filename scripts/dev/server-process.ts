import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { environment } from '@berth/telemetry';

const SERVER = resolve(import.meta.dirname, '../../services/server/src/main.ts');

type Env = Readonly<Record<string, string>>;

function launch(args: readonly string[], env: Env) {
  return spawn(process.execPath, [SERVER, ...args], {
    env: { ...environment, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Runs a command of the server to its end and returns its output. */
export async function runServerCommand(args: readonly string[], env: Env): Promise<string> {
  const child = launch(args, env);
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`"berth-server ${args.join(' ')}" failed:\n${output}`);
  return output;
}

/** Starts the roles and passes their logs through. `ready` lists the address of each role. */
export function startServer(roleNames: string, env: Env) {
  const child = launch(['--role', roleNames], env);
  const exited = once(child, 'exit').then(([code]) => Number(code ?? 1));
  const roles: string[] = [];
  const ready = new Promise<string[]>((done, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      console.log(line);
      const { started, address, health, msg } = parseLog(line);
      if (started) roles.push(`  ${String(started).padEnd(8)}  ${address ?? '-'}  health ${health}`);
      if (msg === 'ready') done(roles);
    });
    exited.then((code) => reject(new Error(`The server ended with code ${code} before it was ready.`)), reject);
  });
  return { ready, exited, stop: () => child.kill('SIGTERM') };
}

function parseLog(line: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}
