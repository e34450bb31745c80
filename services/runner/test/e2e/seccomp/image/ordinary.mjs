// Ordinary work of servers, build tools and agents. Each part prints its name when it has worked.
import { execFileSync, fork, spawn } from 'node:child_process';
import { pbkdf2 } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { watch } from 'node:fs';
import {
  copyFile,
  mkdir,
  mkdtemp,
  open,
  readdir,
  rename,
  rm,
  stat,
  statfs,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { gzip } from 'node:zlib';

if (process.argv[2] === 'child') {
  process.on('message', (message) => process.send(message, () => process.exit()));
} else {
  // Keeps the process alive: while it only waits for a signal, Node would end it.
  setInterval(() => {}, 1_000);
  const folder = await mkdtemp(join(tmpdir(), 'ordinary-'));
  for (const [name, part] of Object.entries(parts(folder))) {
    await part();
    console.log(name);
  }
  process.exit();
}

function parts(folder) {
  return {
    async files() {
      await mkdir(join(folder, 'a/b'), { recursive: true });
      await Promise.all(
        Array.from({ length: 200 }, (_, index) => writeFile(join(folder, `a/b/${index}`), 'x'.repeat(index))),
      );
      await copyFile(join(folder, 'a/b/9'), join(folder, 'a/copy'));
      await symlink('copy', join(folder, 'a/link'));
      await rename(join(folder, 'a/b'), join(folder, 'a/c'));
      await utimes(join(folder, 'a/copy'), 1, 1);
      const file = await open(join(folder, 'a/copy'), 'r+');
      await file.truncate(3);
      await file.datasync();
      await file.close();
      if ((await stat(join(folder, 'a/link'))).size !== 3 || (await readdir(join(folder, 'a/c'))).length !== 200)
        throw new Error('lost');
      await statfs(folder);
      await rm(join(folder, 'a'), { recursive: true });
    },
    async watching() {
      const watcher = watch(folder);
      const seen = once(watcher, 'change');
      await writeFile(join(folder, 'seen'), '');
      await seen;
      watcher.close();
    },
    async threads() {
      const worker = new Worker('require("node:worker_threads").parentPort.postMessage(1)', { eval: true });
      await once(worker, 'message');
      await Promise.all([promisify(pbkdf2)('a', 'b', 10, 8, 'sha256'), promisify(gzip)('text')]);
    },
    async processes() {
      const child = fork(import.meta.filename, ['child']);
      child.send('hello');
      await once(child, 'message');
      const sleeper = spawn('sleep', ['1000']);
      sleeper.kill('SIGTERM');
      const [, signal] = await once(sleeper, 'exit');
      if (signal !== 'SIGTERM') throw new Error(`ended by ${signal}`);
    },
    async signals() {
      const heard = once(process, 'SIGUSR2');
      process.kill(process.pid, 'SIGUSR2');
      await heard;
    },
    async http() {
      for (const listen of [{ port: 0, host: '127.0.0.1' }, { path: join(folder, 'socket') }]) {
        const server = createServer((_, response) => response.end('yes')).listen(listen);
        await once(server, 'listening');
        const to = listen.path === undefined ? { port: server.address().port } : { socketPath: listen.path };
        const [answer] = await once(request(to).end(), 'response');
        for await (const chunk of answer) if (String(chunk) !== 'yes') throw new Error(String(chunk));
        server.closeAllConnections();
        server.close();
      }
    },
    async datagrams() {
      const [one, other] = [createSocket('udp4').bind(0, '127.0.0.1'), createSocket('udp4')];
      await once(one, 'listening');
      other.send('x', one.address().port, '127.0.0.1');
      await once(one, 'message');
      one.close();
      other.close();
    },
    async interfaces() {
      if (networkInterfaces().lo === undefined) throw new Error('no lo');
    },
    async accounts() {
      // These programs write to the kernel's audit log, if it is allowed.
      execFileSync('/usr/sbin/useradd', ['--no-create-home', 'somebody']);
      const said = execFileSync('su', ['somebody', '-s', '/bin/sh', '-c', 'id -un'], { encoding: 'utf8' });
      if (said.trim() !== 'somebody') throw new Error(said);
    },
    async perl() {
      execFileSync('perl', ['-e', 'my $p = fork; exit 3 unless $p; waitpid $p, 0; exit(($? >> 8) != 3)']);
    },
    async archives() {
      execFileSync('sh', [
        '-c',
        'tar --create --gzip --file /tmp/etc.tgz --directory /etc . && tar --list --file /tmp/etc.tgz >/dev/null',
      ]);
    },
    async debuggers() {
      const said = execFileSync('/attack', ['debug'], { encoding: 'utf8' });
      if (!said.includes('DONE')) throw new Error(said);
    },
  };
}
