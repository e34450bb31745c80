// The README's own lines, typed as a new user would type them.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { environment } from '@berth/telemetry';
import { expect, test } from 'vitest';
import { freePort } from '../../engines/free-port.ts';
import { runEnvironment } from '../../engines/run.ts';
import { cpuSecondsOf } from '../harness/cpu-seconds.ts';

/** CPU time of engines and roles together: a machine with two idle cores is up in less than half a minute. */
const maxCpuSeconds = 30;
const root = resolve(import.meta.dirname, '../..');

/** Lines of the README's shell blocks, in order. */
async function readmeBlocks(): Promise<string[][]> {
  const text = await readFile(join(root, 'README.md'), 'utf8');
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block.trim().split('\n'));
}

async function untilPrinted(child: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> {
  let output = '';
  return new Promise((found, failed) => {
    const look = (chunk: Buffer): void => {
      output += chunk.toString();
      const match = pattern.exec(output);
      if (match !== null) found(match);
    };
    child.stdout?.on('data', look);
    child.stderr?.on('data', look);
    child.once('exit', (code) => failed(new Error(`ended with ${code}: ${output}`)));
  });
}

test('pnpm dev prints addresses and a fresh key for little CPU time, and every line of the README answers', async () => {
  const [start = [], calls = []] = await readmeBlocks();
  expect(start.at(-1)).toBe('pnpm dev');
  const [api, node, handlers, gateway] = [await freePort(), await freePort(), await freePort(), await freePort()];
  // The test has its own engines and data: it neither uses nor disturbs a developer's running deployment.
  const env = {
    PATH: environment.PATH,
    HOME: environment.HOME,
    ...runEnvironment(),
    ENGINES_NAME: `quick-start-${process.pid}`,
    BERTH_API_PORT: String(api),
    BERTH_API_NODE_PORT: String(node),
    BERTH_ORCHESTRATOR_PORT: String(handlers),
    BERTH_GATEWAY_PORT: String(gateway),
    BERTH_RUNNER_INGRESS_PORT: '0',
    BERTH_HEALTH_PORTS_GATEWAY: '0',
    BERTH_HEALTH_PORTS_API: '0',
    BERTH_HEALTH_PORTS_ORCHESTRATOR: '0',
    BERTH_HEALTH_PORTS_RUNNER: '0',
  };
  const dev = spawn('sh', ['-c', 'exec pnpm dev'], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  try {
    const [, key = ''] = await untilPrinted(dev, /^ {2}key +(\S+)$/m);
    const cpuSeconds = cpuSecondsOf(dev.pid ?? 0);
    console.log(`up after ${cpuSeconds.toFixed(1)} s of CPU time`);
    expect(cpuSeconds).toBeLessThan(maxCpuSeconds);
    const answers = calls
      .filter((line) => line.startsWith('curl') && line.includes(':8080'))
      .map((line) => line.replaceAll('127.0.0.1:8080', `127.0.0.1:${api}`))
      .map((line) => JSON.parse(execFileSync('sh', ['-c', line], { env: { ...env, KEY: key } }).toString()));
    expect(answers).toMatchObject([
      [{ name: 'dev-space', status: 'ready' }],
      { metadata: { name: 'notes' }, status: 'DEPLOYING' },
      { data: [{ metadata: { name: 'notes' } }], meta: { total: 1 } },
      { name: 'notes' },
      { metadata: { name: 'hello' }, status: 'DEPLOYING' },
      { metadata: { name: 'hello' } },
    ]);
    const look = calls.at(-2)?.replaceAll('127.0.0.1:8080', `127.0.0.1:${api}`) ?? '';
    const status = () => JSON.parse(execFileSync('sh', ['-c', look], { env: { ...env, KEY: key } }).toString()).status;
    await expect.poll(status, { timeout: 60_000, interval: 200 }).toBe('DEPLOYED');
    const ask = calls.at(-1)?.replaceAll('127.0.0.1:8090', `127.0.0.1:${gateway}`) ?? '';
    expect(execFileSync('sh', ['-c', ask], { env: { ...env, KEY: key } }).toString()).toBe('berth\n');
    const page = await fetch(`http://127.0.0.1:${api}/docs/`);
    expect(page.status).toBe(200);
    const document = await (await fetch(`http://127.0.0.1:${api}/v0/openapi.json`)).json();
    expect(document).toMatchObject({ openapi: '3.1.0' });
  } finally {
    dev.kill('SIGTERM');
    if (dev.exitCode === null) await once(dev, 'exit');
    execFileSync('pnpm', ['engines', 'remove'], { cwd: root, env });
    // Instances outlive their runner, and so does the nft table that confines them. Here no instance is left, so it
    // goes.
    spawnSync('nft', ['delete', 'table', 'inet', 'berth']);
  }
});
