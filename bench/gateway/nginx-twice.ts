// The reference: nginx before nginx before the container, one process each, with keep-alive connections. It
// writes no log and checks no key.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Machine } from '../../engines/fleet/machine.ts';
import { nginxProgram } from '../../engines/load-tools.ts';

export interface NginxTwice extends AsyncDisposable {
  readonly url: string;
  readonly pids: readonly number[];
}

const ports = { near: 18_081, far: 18_082 };

export async function startNginxTwice(machine: Machine, folder: string, container: string): Promise<NginxTwice> {
  await using made = new AsyncDisposableStack();
  const far = made.adopt(await startHop(machine, join(folder, 'nginx-far'), ports.far, container), end);
  const near = made.adopt(
    await startHop(machine, join(folder, 'nginx-near'), ports.near, `127.0.0.1:${ports.far}`),
    end,
  );
  const kept = made.move();
  return {
    url: `http://127.0.0.1:${ports.near}`,
    pids: [near.pid ?? 0, far.pid ?? 0],
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

const config = (folder: string, port: number, upstream: string): string => `
  worker_processes 1; daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log warn;
  events { worker_connections 4096; }
  http {
    access_log off; keepalive_requests 1000000000; keepalive_timeout 600s;
    client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
    uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
    upstream next { server ${upstream}; keepalive 64; keepalive_requests 1000000000; }
    server {
      listen 127.0.0.1:${port};
      location / { proxy_pass http://next; proxy_http_version 1.1; proxy_set_header Connection ""; }
    }
  }`;

async function startHop({ netns }: Machine, folder: string, port: number, upstream: string): Promise<ChildProcess> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'nginx.conf');
  await writeFile(file, config(folder, port, upstream));
  const command = [`--net=${netns}`, '--', nginxProgram, '-e', join(folder, 'error.log'), '-c', file];
  const child = spawn('nsenter', command, { stdio: ['ignore', 'inherit', 'inherit'] });
  await sleep(300);
  if (child.exitCode !== null) throw new Error(`nginx did not start; see ${folder}/error.log`);
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
