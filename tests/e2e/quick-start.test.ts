// The README's own lines, typed as a new user would type them, and its page opened in a browser.
import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { environment } from '@berth/telemetry';
import { expect, test } from 'vitest';
import { engineFolder } from '../../engines/folders.ts';
import { freePort } from '../../engines/free-port.ts';
import { runEnvironment } from '../../engines/run.ts';
import { startBrowser } from '../harness/browser.ts';
import { cpuSecondsOf } from '../harness/cpu-seconds.ts';

/**
 * CPU time of engines and roles together, and of the import of an image of 360 MB into a new engine: a machine with two
 * idle cores is up in less than half a minute.
 */
const maxCpuSeconds = 45;
/** Ends a line that hangs. The longest waits until a sandbox has been idle for 15 seconds. */
const maxLineMs = 120_000;
const root = resolve(import.meta.dirname, '../..');
const execute = promisify(execFile);

/** Lines of the shell blocks in the README's first section with commands, in order. */
async function readmeBlocks(): Promise<string[][]> {
  const text = await readFile(join(root, 'README.md'), 'utf8');
  const [, section = ''] = /^## Start in a minute$([\s\S]*?)^## /m.exec(text) ?? [];
  return [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block.trim().split('\n'));
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

test('pnpm dev prints addresses and a fresh key for little CPU time, and every line of the README works as printed', async () => {
  const [start = [], sandbox = [], sleep = [], agent = []] = await readmeBlocks();
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
    const second = execute('sh', ['-c', 'exec pnpm dev'], { cwd: root, env });
    await expect(second).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('Berth is up already') });
    console.log(`up after ${cpuSeconds.toFixed(1)} s of CPU time`);
    expect(cpuSeconds).toBeLessThan(maxCpuSeconds);

    const [setKey = '', defineCall = '', ...calls] = sandbox;
    expect([setKey, defineCall]).toEqual([expect.stringMatching(/^export KEY=/), expect.stringMatching(/^call\(\)/)]);
    /** Only the ports differ from what is printed. */
    const withPorts = (text: string) => text.replaceAll(':8080', `:${api}`).replaceAll(':8090', `:${gateway}`);
    async function type(lines: readonly string[]): Promise<string[]> {
      const outputs = [];
      for (const line of lines) {
        const typed = [`export KEY=${key}`, defineCall, withPorts(line)].join('\n');
        const { stdout } = await execute('sh', ['-c', typed], { env, timeout: maxLineMs });
        outputs.push(stdout.trim());
      }
      return outputs;
    }

    const page = withPorts('http://demo-dev-space.local.preview.localhost:8090');
    const answers = (await type(calls)).map((text) => JSON.parse(text));
    expect(answers).toMatchObject([
      { metadata: { url: withPorts('http://sbx-demo-dev-space.local.localhost:8090') }, status: 'DEPLOYED' },
      { status: 'completed', exitCode: 0, stdout: '42\n' },
      { path: 'index.html' },
      { name: 'web', status: 'running' },
      { spec: { url: page } },
    ]);

    await using browser = await startBrowser();
    const opened = await browser.open(page);
    await opened.until('document.querySelector("h1")?.textContent === "Hello from a sandbox"');
    const picture = join(await engineFolder('screenshots'), 'quick-start.png');
    await writeFile(picture, await opened.screenshot());
    console.log(`the preview in a browser: ${picture}`);

    // The browser is still open: a page that was opened does not keep the sandbox awake.
    const [asleep, woken] = await type(sleep);
    expect(asleep).toBe('"state":"STANDBY"');
    expect(woken).toMatch(/^status 200 after \d+\.\d+ s$/);

    const [deployed = '', said, ...deleted] = await type(agent);
    expect(JSON.parse(deployed)).toMatchObject({
      metadata: { name: 'hello', url: withPorts('http://agt-hello-dev-space.local.localhost:8090') },
    });
    expect(said).toBe('berth');
    expect(deleted.map((text) => JSON.parse(text).metadata.name)).toEqual(['hello', 'demo']);

    const reference = await fetch(`http://127.0.0.1:${api}/docs/`);
    expect(reference.status).toBe(200);
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
