// A container that costs next to nothing, so that only the proxies before it are measured: nginx with its libraries,
// which answers a few hundred bytes from memory.
import { execFileSync } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { importImage } from '../../engines/import-image.ts';
import { nginxProgram } from '../../engines/load-tools.ts';

const imageName = 'berth-static';

/** Last bytes of every answer, so that a client finds its end without parsing HTTP. */
export const lastBytes = '<end>';
const body = `${'berth '.repeat(50)}${lastBytes}`;

const config = `
  worker_processes 1; daemon off; master_process off; pid /tmp/nginx.pid; error_log /dev/stderr crit;
  events { worker_connections 4096; }
  http {
    access_log off; keepalive_requests 1000000000; keepalive_timeout 600s;
    client_body_temp_path /tmp; proxy_temp_path /tmp; fastcgi_temp_path /tmp; uwsgi_temp_path /tmp; scgi_temp_path /tmp;
    server { listen 8080; location / { default_type text/plain; return 200 "${body}"; } }
  }`;

/** Imports an image that answers on port 8080 into the engine at `url`, and returns its name. */
export async function importStaticImage(url: string): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'berth-static-'));
  try {
    await chmod(root, 0o755);
    for (const path of [nginxProgram, ...librariesOf(nginxProgram)]) {
      await mkdir(join(root, dirname(path)), { recursive: true });
      await copyFile(path, join(root, path));
    }
    for (const folder of ['etc', 'tmp', 'var/lib/nginx', 'var/log/nginx'])
      await mkdir(join(root, folder), { recursive: true });
    await writeFile(join(root, 'etc/nginx.conf'), config);
    for (const folder of ['tmp', 'var/lib/nginx', 'var/log/nginx']) await chmod(join(root, folder), 0o777);
    const packed = ['--create', '--numeric-owner', '--owner=0', '--group=0', '--directory', root, '.'];
    const tar = execFileSync('tar', packed, { maxBuffer: 64_000_000 });
    await importImage(url, imageName, tar, [
      'USER 1000:1000',
      `CMD ["${nginxProgram}","-e","/dev/stderr","-c","/etc/nginx.conf"]`,
    ]);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
  return `${imageName}:latest`;
}

const librariesOf = (program: string): string[] =>
  [...execFileSync('ldd', [program], { encoding: 'utf8' }).matchAll(/(\/\S+) \(0x/g)].flatMap(([, path]) => path ?? []);
