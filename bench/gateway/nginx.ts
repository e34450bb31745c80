// One nginx with one process and no log.
import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { nginxProgram } from '../../engines/load-tools.ts';
import { endProcess } from '../support/end-process.ts';

export interface Nginx extends AsyncDisposable {
  readonly pid: number;
}

export interface NginxOptions {
  readonly folder: string;
  readonly port: number;
  /** Body of `location /`. */
  readonly location: string;
  /** Address behind the name `next`, with connections that are kept. */
  readonly upstream?: string;
  /** Network namespace to run in, as a path. */
  readonly netns?: string;
}

/** Passes requests on to `next`. */
export const passOn = 'proxy_pass http://next; proxy_http_version 1.1; proxy_set_header Connection "";';

const configOf = ({ folder, port, location, upstream }: NginxOptions): string => `
  worker_processes 1; daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log warn;
  events { worker_connections 4096; }
  http {
    access_log off; keepalive_requests 1000000000; keepalive_timeout 600s;
    client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
    uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
    ${upstream === undefined ? '' : `upstream next { server ${upstream}; keepalive 64; keepalive_requests 1000000000; }`}
    server {
      listen 127.0.0.1:${port};
      location / { ${location} }
    }
  }`;

export async function startNginx(options: NginxOptions): Promise<Nginx> {
  const { folder, netns } = options;
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'nginx.conf');
  await writeFile(file, configOf(options));
  const command = [nginxProgram, '-e', join(folder, 'error.log'), '-c', file];
  const [first = '', ...rest] = netns === undefined ? command : ['nsenter', `--net=${netns}`, '--', ...command];
  const child = spawn(first, rest, { stdio: ['ignore', 'inherit', 'inherit'] });
  await sleep(300);
  if (child.exitCode !== null) throw new Error(`nginx did not start; see ${folder}/error.log`);
  return { pid: child.pid ?? 0, [Symbol.asyncDispose]: () => endProcess(child) };
}
