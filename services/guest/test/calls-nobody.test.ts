// a guest makes no calls on its own. There is no telemetry to switch off.
import { readdir, readFile, readlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { startGuestProcess } from '../../../tests/harness/guest-process.ts';
import { connectTerminal } from '../../../tests/harness/terminal-client.ts';

const sourceFolder = resolve(import.meta.dirname, '../src');

/** Files that can open a connection, each with its target: a caller or the operator always asked for it. */
const callers: Record<string, string> = {
  'ports/loopback-callback.ts': 'a loopback address that the caller registered',
  'codegen/ask-provider.ts': 'the provider that the operator configured',
  'mcp/answer-mcp.ts': 'nobody: it joins a tool server to the request it answers',
  'supervisor/connect-supervisor.ts': 'the helper, on a socket that is already open',
};

it('R-59 only the files that are known for it can open a connection', async () => {
  const names = (await readdir(sourceFolder, { recursive: true })).filter((name) => /(?<!\.test)\.ts$/.test(name));
  const calling: string[] = [];
  for (const name of names) {
    const text = await readFile(join(sourceFolder, name), 'utf8');
    if (
      /\bfetch\(|\b(request|connect|createConnection|createSocket|lookup|resolve4)\(|new (Socket|WebSocket)\(/.test(
        text,
      )
    ) {
      calling.push(name);
    }
  }
  expect(calling.filter((name) => !(name in callers))).toEqual([]);
});

it('R-59 with everything left at its default, a guest that is used has no connection but those made to it', async () => {
  await using guest = await startGuestProcess();
  for (const path of ['/health', '/stats', '/swagger', '/filesystem/', '/process', '/upgrade']) {
    await (await fetch(`${guest.url}${path}`)).text();
  }
  await using client = await connectTerminal(guest.url, { shell: '/bin/sh' });
  client.type('echo on\r');
  await client.until('on');
  const port = Number(new URL(guest.url).port);
  const pid = await guest.guestPid();
  for (const { local } of await establishedOf(pid)) expect(local).toBe(port);
  client.type('exit\r');
});

async function establishedOf(pid: number): Promise<{ local: number }[]> {
  const links = await Promise.all(
    (await readdir(`/proc/${pid}/fd`)).map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')),
  );
  const inodes = new Set(links.map((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? 'none'));
  const tables = await Promise.all(['tcp', 'tcp6', 'udp', 'udp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8')));
  return tables
    .flatMap((table) => table.split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter((words) => inodes.has(words[9] ?? ''))
    .map((words) => ({ local: Number.parseInt(words[1]?.split(':')[1] ?? '', 16) }));
}
