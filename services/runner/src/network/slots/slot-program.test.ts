import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { slotProgram } from './slot-program.ts';
import { tarOf } from './tar.ts';

test.each([
  ['x64', 62],
  ['arm64', 183],
])('for %s it is an executable that begins where its code stands', (architecture, machine) => {
  const file = slotProgram(architecture);
  expect(file.subarray(0, 4).toString('latin1')).toBe('\x7fELF');
  expect(file.readUInt16LE(18)).toBe(machine);
  expect(Number(file.readBigUInt64LE(24)) - 0x400000).toBe(64 + 56);
  // The segment covers the file.
  expect(Number(file.readBigUInt64LE(64 + 32))).toBe(file.length);
});

test('there is no program for other architectures', () => {
  expect(() => slotProgram('mips')).toThrow(/x64 or arm64/);
});

test('the unpacked program runs, sleeps, and ends on a signal', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-slot-program-'));
  try {
    await writeFile(join(folder, 'a.tar'), tarOf('pause', slotProgram(process.arch)));
    expect(execFileSync('tar', ['-tvf', join(folder, 'a.tar')], { encoding: 'utf8' })).toMatch(
      /^-rwxr-xr-x.* pause\n$/,
    );
    execFileSync('tar', ['-xf', join(folder, 'a.tar'), '-C', folder]);
    const child = spawn(join(folder, 'pause'));
    await sleep(100);
    expect(child.exitCode).toBeNull();
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([null, 'SIGTERM']);
  } finally {
    await rm(folder, { recursive: true });
  }
});
