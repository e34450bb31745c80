// The Python clients against a whole deployment, with and without asyncio: the same steps.
import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { python, pythonProgram } from '../../../engines/python.ts';
import { type SandboxFleet, startSandboxFleet } from '../sandbox/sandbox-fleet.ts';

const clientFolder = resolve(import.meta.dirname, '../../../clients/python');
const steps = ['create', 'exec', 'stream', 'files', 'watch', 'terminal', 'port', 'preview', 'delete'];
const run = promisify(execFile);

let sandboxes: SandboxFleet;

beforeAll(async () => {
  await python.install();
  sandboxes = await startSandboxFleet('runc');
}, 300_000);
afterAll(() => sandboxes?.[Symbol.asyncDispose](), 120_000);

const environment = () => ({
  PATH: '/usr/bin:/bin',
  PYTHONPATH: join(clientFolder, 'src'),
  PYTHONDONTWRITEBYTECODE: '1',
});

test.each(['async', 'sync'])(
  'the %s client takes every step of a program that uses a sandbox',
  async (kind) => {
    const { url, key, gateways } = sandboxes.fleet;
    const settings = { url, key, gatewayUrl: gateways[0]?.url, image: sandboxes.image, name: `story-${kind}` };
    const story = join(clientFolder, 'tests', `story_${kind}.py`);
    const { stdout } = await run(await pythonProgram('python'), [story], {
      env: { ...environment(), STORY: JSON.stringify(settings) },
    });
    expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toEqual(steps);
  },
  120_000,
);

test('the types hold where they are checked strictly', async () => {
  const { stdout } = await run(await pythonProgram('pyright'), ['--pythonpath', await pythonProgram('python')], {
    ...{ cwd: clientFolder, env: { ...environment(), HOME: '/tmp' } },
  });
  expect(stdout).toContain('0 errors, 0 warnings');
}, 180_000);
