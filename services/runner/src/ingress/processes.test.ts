import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { startTestIngress } from '../../test/test-ingress.ts';

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test('processes share the port, and both take tunnels under one lease each', async () => {
  await using bed = await startTestIngress(30, 2);
  const id = await bed.serve((socket) => void socket.pipe(socket));
  const tunnels = await Promise.all(Array.from({ length: 40 }, () => bed.open(id)));
  expect(tunnels.map(({ answer }) => answer)).toEqual(Array(40).fill('open'));
  await expect.poll(() => bed.ingress.tunnels).toBe(40);
  expect(bed.leases.count).toBe(2);
  for (const { socket } of tunnels) socket.destroy();
});

test('with one process killed its tunnels break, those of the other go on, and new ones work', async () => {
  await using bed = await startTestIngress(30, 2);
  const id = await bed.serve((socket) => void socket.pipe(socket));
  const tunnels = await Promise.all(Array.from({ length: 40 }, () => bed.open(id)));
  const [killed = 0, other = 0] = bed.ingress.pids;
  process.kill(killed, 'SIGKILL');
  await expect.poll(() => bed.leases.count).toBe(1);
  const heard = await Promise.allSettled(
    tunnels.map(({ socket }) => {
      socket.end('still here');
      return text(socket);
    }),
  );
  const whole = heard.filter((each) => each.status === 'fulfilled' && each.value === 'still here');
  const broken = heard.filter((each) => each.status === 'rejected' || each.value === '');
  expect(whole.length + broken.length).toBe(40);
  expect(Math.min(whole.length, broken.length)).toBeGreaterThan(0);
  expect((await bed.open(id)).answer).toBe('open');
  await expect
    .poll(() => bed.ingress.pids.filter((pid) => pid !== killed && isAlive(pid)).length, { timeout: 60_000 })
    .toBe(2);
  expect(bed.ingress.pids).toContain(other);
  // Polls until the new process listens as well and both processes hold a lease.
  await expect
    .poll(
      async () => {
        const more = await Promise.all(Array.from({ length: 20 }, () => bed.open(id)));
        expect(more.map(({ answer }) => answer)).toEqual(Array(20).fill('open'));
        const { count: leases } = bed.leases;
        for (const { socket } of more) socket.destroy();
        return leases;
      },
      { timeout: 60_000 },
    )
    .toBe(2);
}, 120_000);

test('an ingress that cannot listen says why', async () => {
  await expect(startTestIngress(30, 1, '192.0.2.1')).rejects.toThrow(/EADDRNOTAVAIL/);
});

const program = `
  import { startTestIngress } from '../../test/test-ingress.ts';
  const { ingress, port, lease } = await startTestIngress(30, 2);
  process.stdout.write(JSON.stringify({ pids: ingress.pids, port, lease }) + '\\n');
`;

test('a runner that is killed leaves no process behind, and its port is free', async () => {
  const flags = ['--input-type=module-typescript', '--eval', program];
  const runner = spawn(process.execPath, flags, { cwd: import.meta.dirname, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(runner.stdout, 'data');
  const { pids, port, lease }: { pids: number[]; port: number; lease: string } = JSON.parse(String(line));
  expect(pids.filter(isAlive)).toHaveLength(2);
  runner.kill('SIGKILL');
  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
  await expect(once(connect({ host: '127.0.0.1', port }), 'connect')).rejects.toThrow(/ECONNREFUSED/);
  await rm(dirname(lease), { recursive: true });
});

test('signals to the whole group are left to the runner', async () => {
  await using bed = await startTestIngress();
  const id = await bed.serve((socket) => void socket.pipe(socket));
  const { socket } = await bed.open(id);
  for (const pid of bed.ingress.pids) for (const signal of ['SIGTERM', 'SIGINT'] as const) process.kill(pid, signal);
  expect((await bed.open(id)).answer).toBe('open');
  socket.end('still here');
  expect(await text(socket)).toBe('still here');
});
