import { expect, test } from 'vitest';
import { openPort } from '../../../../tests/harness/port-opener.ts';
import { processStat } from '../proc/proc-files.ts';
import { membersOf } from '../proc/process-members.ts';
import { portsReady, servedPorts, socketsOf } from './served-ports.ts';

test.each([
  ['tcp', '0.0.0.0'],
  ['tcp', '::'],
  ['udp4', '0.0.0.0'],
  ['udp6', '::'],
] as const)('R-18 a %s server on %s is ready', async (kind, host) => {
  using server = await openPort(kind, host);
  expect(portsReady({ pid: server.pid }, [server.port])).toBe(true);
});

test.each([
  ['tcp', '127.0.0.1'],
  ['tcp', '127.0.0.53'],
  ['tcp', '::1'],
  ['tcp', '::ffff:127.0.0.1'],
  ['udp4', '127.0.0.1'],
] as const)('R-18 a %s server on %s alone is never ready', async (kind, host) => {
  using server = await openPort(kind, host);
  expect(portsReady({ pid: server.pid }, [server.port])).toBe(false);
  expect(servedPorts([server.pid])).toEqual(new Set([server.port]));
});

test('R-18 a port of another process does not make a process ready', async () => {
  using mine = await openPort('tcp', '0.0.0.0');
  using other = await openPort('tcp', '0.0.0.0');
  expect(portsReady({ pid: mine.pid }, [other.port])).toBe(false);
  expect(portsReady({ pid: mine.pid }, [mine.port, other.port])).toBe(false);
});

test('R-18 a server that left its session and lost its parent is found by the key in its environment', async () => {
  using server = await openPort('tcp', '0.0.0.0', { key: 'marked0000000001', detached: true });
  expect(processStat(server.pid)).toBeUndefined();
  expect(membersOf({ pid: server.pid, key: 'marked0000000001' })).toEqual([server.serverPid]);
  expect(portsReady({ pid: server.pid, key: 'marked0000000001' }, [server.port])).toBe(true);
  expect(portsReady({ pid: server.pid, key: 'marked00000000' }, [server.port])).toBe(false);
});

test('R-18 a later process with the same pid is not taken for the earlier one', async () => {
  using server = await openPort('tcp', '0.0.0.0');
  const { startTicks = 0 } = processStat(server.pid) ?? {};
  expect(membersOf({ pid: server.pid, startTicks })).toEqual([server.pid]);
  expect(membersOf({ pid: server.pid, startTicks: startTicks - 1 })).toEqual([]);
});

test('members of a process are its children and not its siblings', async () => {
  using sibling = await openPort('tcp', '0.0.0.0');
  using server = await openPort('tcp', '0.0.0.0');
  const members = membersOf({ pid: process.pid });
  expect(members).toEqual(expect.arrayContaining([process.pid, sibling.pid, server.pid]));
  expect(membersOf({ pid: server.pid })).toEqual([server.pid]);
});

test('a socket is listed with its process, address and state', async () => {
  using server = await openPort('tcp', '127.0.0.1');
  expect(socketsOf([server.pid])).toEqual([
    {
      pid: server.pid,
      protocol: 'tcp',
      localAddr: '127.0.0.1',
      localPort: server.port,
      remoteAddr: '0.0.0.0',
      remotePort: 0,
      state: 'LISTEN',
      processName: expect.stringMatching(/node|MainThread/),
    },
  ]);
});

test('R-18 one look for an unserved port takes less than 50 ms of CPU time', () => {
  const before = process.cpuUsage();
  for (let count = 0; count < 20; count += 1) expect(portsReady({ pid: process.pid }, [1])).toBe(false);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000 / 20).toBeLessThan(50);
});
