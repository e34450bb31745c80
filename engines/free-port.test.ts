import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { freePort } from './free-port.ts';

const count = 200;

/** Finds ports in a separate process, which stays alive until its input ends. */
async function portsOf(): Promise<{ ports: number[]; end: () => Promise<void> }> {
  const program = `
    import { freePort } from ${JSON.stringify(new URL('./free-port.ts', import.meta.url).href)};
    const ports = [];
    for (let at = 0; at < ${count}; at += 1) ports.push(await freePort());
    console.log(JSON.stringify(ports));
    process.stdin.resume();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const [bytes] = await once(child.stdout, 'data');
  return {
    ports: JSON.parse(String(bytes)),
    end: async () => {
      child.stdin.end();
      expect(await ended).toEqual([0, null]);
    },
  };
}

test('processes that look for ports at the same time never find the same one, as long as they live', async () => {
  const found = await Promise.all(Array.from({ length: 4 }, () => portsOf()));
  const ports = found.flatMap((each) => each.ports);
  expect(ports).toHaveLength(4 * count);
  expect(new Set(ports).size).toBe(4 * count);
  // The claimed names do not keep the processes alive.
  for (const each of found) await each.end();
});

test('somebody can listen on what was found', async () => {
  const server = createServer().listen(await freePort(), '127.0.0.1');
  await once(server, 'listening');
  server.close();
});
