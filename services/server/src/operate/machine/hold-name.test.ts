import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { holdName } from './hold-name.ts';

const name = `berth-test-${process.pid}`;

test('a name is held once, and free again afterwards', async () => {
  const held = await holdName(name);
  await expect(holdName(name)).rejects.toThrow('An upgrade is running on this machine already.');
  await held[Symbol.asyncDispose]();
  await (await holdName(name))[Symbol.asyncDispose]();
});

test('a killed process holds no name', async () => {
  const program = `
    import { holdName } from ${JSON.stringify(new URL('hold-name.ts', import.meta.url).href)};
    await holdName('${name}-other');
    console.log('held');
    setInterval(() => {}, 1_000);
  `;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  await expect(holdName(`${name}-other`)).rejects.toThrow('already');
  child.kill('SIGKILL');
  await once(child, 'close');
  await (await holdName(`${name}-other`))[Symbol.asyncDispose]();
});
