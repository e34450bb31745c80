// The real process, with small roles defined by the test.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

const PROGRAM = `
  import { z } from 'zod';
  import { defineCommand, defineRole, runServer } from './src/index.ts';
  const say = (line) => process.stdout.write(line + '\\n');
  const role = (name, stopMs) => defineRole({
    name,
    healthPort: 0,
    sections: { [name]: z.object({ greeting: z.string().default('hello'), broken: z.boolean().default(false) }).prefault({}) },
    async start(config) {
      if (config[name].broken) throw new Error('no luck');
      say('start ' + name + ' ' + config[name].greeting);
      return {
        address: 'http://' + name + '.example',
        ready: async () => ({ ready: true, checks: {} }),
        stop: async () => { await new Promise((resolve) => setTimeout(resolve, stopMs)); say('stop ' + name); },
      };
    },
  });
  const greet = defineCommand({
    name: 'greet',
    summary: 'says the greeting',
    sections: { greet: z.object({ name: z.string() }) },
    run: async ({ greet }, context) => context.print('hello ' + greet.name + ' ' + context.arguments.join(' ')),
  });
  const program = { roles: [role('first', 1), role('second', 1), role('slow', 60_000)], commands: [greet] };
  process.exit(await runServer(program, process.argv.slice(1), process.env));
`;

function start(args: string[], env: Record<string, string> = {}) {
  const flags = ['--input-type=module-typescript', '--eval', PROGRAM, '--', ...args];
  const child = spawn(process.execPath, flags, { cwd: new URL('..', import.meta.url), env });
  children.push(child);
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  return {
    child,
    ended: once(child, 'close').then(([code]) => ({ code, output, errors })),
    async until(pattern: RegExp): Promise<RegExpExecArray> {
      for (;;) {
        const found = pattern.exec(output);
        if (found) return found;
        if (child.exitCode !== null) throw new Error(`Ended without ${pattern}: ${output}${errors}`);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
  };
}

const steps = (output: string) => output.split('\n').filter((line) => /^(start|stop) /.test(line));

test('roles start in the order of the registry, whatever the order of --role, and stop in reverse', async () => {
  const server = start(['--role', 'second,first'], { BERTH_SECOND_GREETING: 'servus' });
  await server.until(/"msg":"ready"/);
  server.child.kill('SIGTERM');
  const { code, output } = await server.ended;
  expect(code).toBe(0);
  expect(steps(output)).toEqual(['start first hello', 'start second servus', 'stop second', 'stop first']);
});

test('each role has its own health pages, and is not ready from the stop signal on', async () => {
  const server = start(['--role', 'slow'], { BERTH_SHUTDOWN_DEADLINE_SECONDS: '2' });
  const [, health] = await server.until(/"health":"(.*?)"/);
  await server.until(/"msg":"ready"/);
  expect((await fetch(`${health}/readyz`)).status).toBe(200);
  server.child.kill('SIGINT');
  await server.until(/"msg":"stopping"/);
  const draining = await fetch(`${health}/readyz`);
  expect(draining.status).toBe(503);
  expect(await draining.text()).toContain('stopping');
  expect((await fetch(`${health}/healthz`)).status).toBe(200);
});

test('a role that does not stop in time does not keep the process alive', async () => {
  const server = start(['--role', 'first,slow'], { BERTH_SHUTDOWN_DEADLINE_SECONDS: '0.2' });
  await server.until(/"msg":"ready"/);
  const askedAt = performance.now();
  server.child.kill('SIGTERM');
  const { code, output } = await server.ended;
  expect(code).toBe(1);
  expect(performance.now() - askedAt).toBeLessThan(5_000);
  expect(output).toContain('role did not stop in time');
});

test('a role that fails to start stops the ones before it', async () => {
  const { code, output } = await start(['--role', 'first,second'], { BERTH_SECOND_BROKEN: 'true' }).ended;
  expect(code).toBe(1);
  expect(steps(output)).toEqual(['start first hello', 'stop first']);
  expect(output).toContain('no luck');
});

test('a bad key stops the start with its reason', async () => {
  const { code, errors } = await start(['--role', 'first'], { BERTH_FIRST_GREETNG: 'x' }).ended;
  expect(code).toBe(1);
  expect(errors).toContain('BERTH_FIRST_GREETNG: there is no such setting. Did you mean BERTH_FIRST_GREETING?');
});

test('the settings of a role that does not run are accepted, unread', async () => {
  const server = start(['--role', 'first'], { BERTH_SECOND_BROKEN: 'true' });
  await server.until(/"msg":"ready"/);
  server.child.kill('SIGTERM');
  expect((await server.ended).code).toBe(0);
});

test('a command runs once, with its own section and arguments', async () => {
  const { code, output } = await start(['greet', 'again'], { BERTH_GREET_NAME: 'Ada' }).ended;
  expect([code, output]).toEqual([0, 'hello Ada again\n']);
});

test.each([
  [[], 'Say which roles to run'],
  [['--role', 'nobody'], 'There is no role "nobody".'],
  [['dance'], 'There is no command "dance".'],
  [['--rol', 'first'], "Unknown option '--rol'"],
])('arguments %j are answered with the reason and the usage', async (args, reason) => {
  const { code, errors } = await start(args).ended;
  expect(code).toBe(2);
  expect(errors).toContain(reason);
  expect(errors).toContain('Usage: berth-server --role');
});
