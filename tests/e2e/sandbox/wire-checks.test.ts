// The wire checks (section 9 of the interface inside a sandbox) through the gateway, each repeated after the sandbox
// has slept.
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { bytesPerMb } from '@berth/contract/node';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { WebSocket } from 'ws';
import { formOf } from '../../harness/raw-request.ts';
import { isFull } from '../../harness/size.ts';
import { readWatch } from '../../harness/watch-reader.ts';
import { isolationsOf } from '../../harness/workloads.ts';
import { previewChecks } from './preview-checks.ts';
import { type Sandbox, type SandboxFleet, startSandboxFleet } from './sandbox-fleet.ts';

const port = 3000;
/** Command that kills the guest from inside, as code in the sandbox could. */
const killGuest =
  'for f in /proc/[0-9]*; do [ "$(readlink $f/exe)" = /.berth/node ] && kill -9 $(basename $f); done; true';
/** Command of a server that answers with the requested path, on any address or on loopback alone. */
const server = (host: string, at = port): string =>
  `node -e "require('http').createServer((q, s) => s.end('port ' + q.url)).listen(${at}, '${host}')"`;

const textOf = async (sandbox: Sandbox, path: string): Promise<[number, string]> => {
  const answer = await sandbox.call('GET', path);
  return [answer.status, await answer.text()];
};

// Each test has its own sandbox, so that they sleep in parallel; the classes run one after the other. The small size
// tests gVisor, the class for untrusted code.
describe.each(isolationsOf('gvisor'))('on $isolation', ({ isolation }) => {
  let sandboxes: SandboxFleet;

  beforeAll(async () => {
    sandboxes = await startSandboxFleet(isolation);
  });
  afterAll(() => sandboxes?.[Symbol.asyncDispose]());

  // The longest tests start first.
  test.concurrent('wire check 3: a streamed exec of more than 30 seconds has no blank line, no keepalive in its output and one result', async ({
    expect,
  }) => {
    const sandbox = await sandboxes.create('streamed');
    await sandbox.asleep();
    const answer = await sandbox.call(
      'POST',
      '/process',
      { command: 'echo first; sleep 33; printf last' },
      { headers: { accept: 'text/event-stream' } },
    );
    const whole = answer.text();
    await expect.poll(sandbox.state).toBe('RUNNING');
    const states = new Set<string>();
    // Far longer than the idle timeout, and far shorter than the stream.
    for (const until = performance.now() + 20_000; performance.now() < until; await sleep(1_000))
      states.add(await sandbox.state());
    expect([...states]).toEqual(['RUNNING']);
    const lines = (await whole).split('\n');
    expect(lines.pop()).toBe('');
    const events = lines.map((line) => JSON.parse(line) as { type: string; data?: string });
    const output = events.filter(({ type }) => type === 'stdout').map(({ data }) => data);
    expect(output.join('')).toBe('first\nlast');
    expect(events.filter(({ type }) => type === 'result')).toHaveLength(1);
  });

  test.concurrent('wire check 15: an open stream and a terminal keep it awake; what was opened while it fell asleep is answered', async ({
    expect,
  }) => {
    const sandbox = await sandboxes.create('streams');
    const socket = new WebSocket(`${sandbox.url.replace('http', 'ws')}/terminal/ws?token=${sandboxes.fleet.key}`);
    let seen = '';
    socket.on('message', (bytes) => {
      const frame = JSON.parse(bytes.toString()) as { type: string; data: string };
      if (frame.type === 'output') seen += frame.data;
    });
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    await sleep(6_000);
    expect(await sandbox.state()).toBe('RUNNING');
    socket.send(JSON.stringify({ type: 'input', data: 'echo $((40 + 2))\n' }));
    await expect.poll(() => seen, { timeout: 10_000 }).toContain('42');
    socket.close();
    // Calls around the moment at which the sandbox falls asleep, repeatedly: none is lost.
    for (let round = 0; round < (isFull ? 50 : 6); round += 1) {
      await sleep(3_500 + (round % 10) * 100);
      expect((await sandbox.call('GET', '/health')).status).toBe(200);
    }
  });

  previewChecks(() => sandboxes);

  test.concurrent('R-61 wire check 15: the first call after creation and after sleep succeeds, with files, processes and variables kept', async ({
    expect,
  }) => {
    const startedAt = performance.now();
    const sandbox = await sandboxes.create('first', { envs: { GREETING: 'hello' } });
    const createdAt = performance.now();
    expect((await sandbox.run('echo $GREETING')).stdout).toBe('hello\n');
    const execAt = performance.now();
    await sandbox.json('PUT', '/filesystem//tmp/kept.txt', { content: 'kept' });
    const counter = await sandbox.start({
      command: 'i=0; while :; do i=$((i+1)); echo $i > /tmp/count; sleep 0.05; done',
      name: 'counter',
    });
    const [state] = await Promise.all([sandbox.state(), sandbox.run('sleep 3')]);
    expect(state).toBe('RUNNING');
    await sandbox.asleep();
    const before = performance.now();
    const health = await sandbox.call('GET', '/health');
    const wokenMs = performance.now() - before;
    expect(health.status).toBe(200);
    console.log(
      `${isolation}: create ${(createdAt - startedAt).toFixed(0)} ms, first exec ${(execAt - createdAt).toFixed(0)} ms, first byte after sleep ${wokenMs.toFixed(0)} ms`,
    );
    expect((await sandbox.process(counter.pid)).status).toBe('running');
    expect((await textOf(sandbox, '/filesystem//tmp/kept.txt'))[1]).toContain('kept');
    const count = async () => Number((await sandbox.run('cat /tmp/count')).stdout);
    const first = await count();
    await expect.poll(count).toBeGreaterThan(first);
    // The sandbox sleeps once more and is woken through the other gateway by many calls at once.
    await sandbox.asleep();
    const again = sandboxes.sandbox('first', 1);
    const answers = await Promise.all(Array.from({ length: 20 }, () => again.call('GET', '/health')));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  });

  test.concurrent('wire check 1: all forms of a path mean the same through the gateway, awake and after sleep', async ({
    expect,
  }) => {
    const sandbox = await sandboxes.create('paths');
    const forms = ['/filesystem/%2Ftmp%2Fa.txt', '/filesystem//tmp/a.txt', '/filesystem%2Ftmp/a.txt'];
    const check = async (round: string) => {
      for (const form of forms) {
        await sandbox.json('PUT', form, { content: `${round} ${form}` });
        for (const other of forms) expect((await textOf(sandbox, other))[1]).toContain(`${round} ${form}`);
      }
      await sandbox.json('PUT', '/filesystem/src/b.txt', { content: `${round} nested` });
      for (const form of ['/filesystem/src/b.txt', '/filesystem/src%2Fb.txt'])
        expect((await textOf(sandbox, form))[1]).toContain(`${round} nested`);
      await sandbox.json('PUT', '/filesystem/~/c.txt', { content: `${round} home` });
      expect((await textOf(sandbox, '/filesystem/~/c.txt'))[1]).toContain(`${round} home`);
      for (const form of ['/filesystem/tree/tmp', '/filesystem/tree//tmp', '/filesystem/tree%2Ftmp'])
        expect((await textOf(sandbox, form))[1]).toContain('a.txt');
      expect((await sandbox.call('GET', '/filesystem/')).status).toBe(200);
    };
    await check('awake');
    await sandbox.asleep();
    await check('woken');
  });

  test.concurrent('wire check 2: exec waits, gives exit codes, a timeout leaves the process running, and names are free after the end', async ({
    expect,
  }) => {
    const sandbox = await sandboxes.create('exec');
    const check = async () => {
      expect((await sandbox.run('true')).exitCode).toBe(0);
      expect(await sandbox.run('exit 42')).toMatchObject({ exitCode: 42, status: 'failed' });
      const late = await sandbox.call('POST', '/process', {
        ...{ command: 'sleep 30', name: 'late', waitForCompletion: true, timeout: 1 },
      });
      expect(late.status).toBe(422);
      expect((await sandbox.process('late')).status).toBe('running');
      expect((await sandbox.call('POST', '/process', { command: 'true', name: 'late' })).status).toBe(400);
      await sandbox.call('DELETE', '/process/late/kill');
      await expect.poll(async () => (await sandbox.process('late')).status).toBe('killed');
      expect((await sandbox.run('true', { name: 'late' })).exitCode).toBe(0);
    };
    await check();
    await sandbox.asleep();
    await check();
  });

  test.concurrent('R-65 wire check 4: a log stream gives 10 MiB without a newline and every line once, also to who comes late', async ({
    expect,
  }) => {
    const sandbox = await sandboxes.create('logs');
    await sandbox.asleep();
    const wide = await sandbox.start({ command: 'head -c 10485760 /dev/zero | tr "\\0" x' });
    const answer = await sandbox.call('GET', `/process/${wide.pid}/logs/stream`);
    const seen = (await answer.text()).replaceAll('[keepalive]\n', '');
    expect(seen.match(/x/g)?.length).toBe(10_485_760);
    const counted = await sandbox.start({
      command: 'for i in $(seq 1 200); do echo line $i; [ $((i % 50)) = 0 ] && sleep 0.5; done; printf end',
    });
    const readers = [0, 300, 900].map(async (ms) => {
      await sleep(ms);
      const lines: string[] = [];
      for await (const line of sandbox.lines(`/process/${counted.pid}/logs/stream`)) lines.push(line);
      return lines.filter((line) => line !== '[keepalive]');
    });
    const expected = [...Array.from({ length: 200 }, (_, at) => `stdout:line ${at + 1}`), 'stdout:end'];
    for (const lines of await Promise.all(readers)) expect(lines).toEqual(expected);
  });

  test.concurrent('R-66 wire check 5: a port that was waited for answers at once, also after sleep; loopback alone is never ready and gives 502', async ({
    expect,
  }) => {
    const count = isFull ? 20 : 4;
    const created = await Promise.all(
      Array.from({ length: count }, (_, at) => sandboxes.create(`ports-${at}`, { ports: [port, port + 1] })),
    );
    await Promise.all(
      created.map(async (sandbox) => {
        await sandbox.start({ command: server('0.0.0.0'), name: 'server', waitForPorts: [port] });
        expect(await textOf(sandbox, `/port/${port}//a%2F?b`)).toEqual([200, 'port //a%2F?b']);
      }),
    );
    const [sandbox] = created;
    if (sandbox === undefined) throw new Error('no sandbox');
    const loopback = {
      command: server('127.0.0.1', port + 1),
      name: 'loopback',
      waitForPorts: [port + 1],
      timeout: 2,
    };
    expect((await sandbox.call('POST', '/process', { ...loopback, waitForCompletion: true })).status).toBe(422);
    const [status, body] = await textOf(sandbox, `/port/${port + 1}/`);
    expect([status, JSON.parse(body).error.code]).toEqual([502, 'PORT_UNREACHABLE']);
    expect((await textOf(sandbox, '/port/9999/'))[0]).toBe(403);
    const dead = await sandbox.call('POST', '/process', { command: 'exit 7', waitForPorts: [4000], timeout: 30 });
    expect(dead.status).toBe(422);
    await Promise.all(created.map((each) => each.asleep()));
    for (const each of created) expect(await textOf(each, `/port/${port}/woken`)).toEqual([200, 'port /woken']);
  });

  test.concurrent('wire check 6: a restart keeps pid and variables, and kill reaches what was restarted', async ({
    expect,
  }) => {
    const sandbox = await sandboxes.create('restart');
    await sandbox.asleep();
    const started = await sandbox.start({
      command:
        'echo $OWN; n=$(cat /tmp/n 2>/dev/null || echo 0); echo $((n+1)) > /tmp/n; [ $n -ge 2 ] && exec sleep 60; exit 3',
      ...{ env: { OWN: 'kept' }, restartOnFailure: true, maxRestarts: 5, name: 'restarted' },
    });
    // `restartCount` grows when a run starts, and the output of the run comes a little later: wait for the third run's
    // output.
    await expect
      .poll(async () => (await sandbox.process('restarted')).logs, { timeout: 20_000 })
      .toMatch(/kept\n\[.*restart 1\/5.*\]\nkept\n\[.*restart 2\/5.*\]\nkept\n$/);
    expect(await sandbox.process('restarted')).toMatchObject({
      pid: started.pid,
      status: 'running',
      restartCount: 2,
    });
    await sandbox.call('DELETE', `/process/${started.pid}/kill`);
    await expect.poll(async () => (await sandbox.process('restarted')).status).toBe('killed');
  });

  test.concurrent('wire check 7: a file in parts of 5 MiB and a byte, out of order, sent again and across a sleep', async ({
    expect,
  }) => {
    const sandbox = await sandboxes.create('parts');
    const parts = [randomBytes(5 * bytesPerMb + 1), randomBytes(5 * bytesPerMb + 1), randomBytes(1_000)];
    const { uploadId } = await sandbox.json<{ uploadId: string }>('POST', '/filesystem-multipart/initiate//tmp/whole');
    const send = async (number: number, bytes: Buffer) => {
      const form = formOf([{ name: 'file', value: bytes, fileName: 'part' }]);
      const answer = await sandbox.call(
        'PUT',
        `/filesystem-multipart/${uploadId}/part?partNumber=${number}`,
        undefined,
        {
          ...form,
          body: new Uint8Array(form.body),
        },
      );
      expect(answer.status).toBe(200);
      return answer.json() as Promise<{ partNumber: number; etag: string }>;
    };
    const third = await send(3, parts[2] ?? Buffer.alloc(0));
    await send(1, randomBytes(10));
    await sandbox.asleep();
    const second = await send(2, parts[1] ?? Buffer.alloc(0));
    const first = await send(1, parts[0] ?? Buffer.alloc(0));
    await sandbox.json('POST', `/filesystem-multipart/${uploadId}/complete`, { parts: [third, first, second] });
    const sum = (await sandbox.run('sha256sum /tmp/whole')).stdout?.slice(0, 64);
    expect(sum).toBe(createHash('sha256').update(Buffer.concat(parts)).digest('hex'));
    const other = await sandbox.json<{ uploadId: string }>('POST', '/filesystem-multipart/initiate//tmp/never');
    expect((await sandbox.call('DELETE', `/filesystem-multipart/${other.uploadId}/abort`)).status).toBe(200);
    const large = formOf([{ name: 'file', value: Buffer.alloc(17 * bytesPerMb), fileName: 'part' }]);
    const refused = await sandbox
      .call('PUT', `/filesystem-multipart/${uploadId}/part?partNumber=9`, undefined, {
        ...large,
        body: new Uint8Array(large.body),
      })
      .then(({ status }) => status);
    expect(refused).toBe(413);
  });

  test.concurrent('wire check 8: a search with far more hits than asked for ends, and 0 gives them all', async ({
    expect,
  }) => {
    const sandbox = await sandboxes.create('search');
    await sandbox.run('mkdir -p /tmp/s && for i in $(seq 1 40); do yes needle | head -100 > /tmp/s/$i; done');
    await sandbox.asleep();
    const hits = (most: number) =>
      sandbox.json<{ total: number }>('GET', `/filesystem-content-search//tmp/s?query=needle&maxResults=${most}`);
    expect((await hits(5)).total).toBe(5);
    expect((await hits(0)).total).toBe(4_000);
  });

  test.concurrent('wire check 9: a watch sees what is made below new folders at once, and keeps the sandbox awake', async ({
    expect,
  }) => {
    const sandbox = await sandboxes.create('watch');
    await sandbox.run('mkdir -p /tmp/w');
    await sandbox.asleep();
    using watch = await readWatch(`${sandbox.url}/watch/filesystem//tmp/w/**`, sandbox.headers);
    await sandbox.run('for d in $(seq 1 20); do mkdir -p /tmp/w/$d/a/b && touch /tmp/w/$d/a/b/file; done');
    const files = () =>
      new Set(
        watch
          .events()
          .filter(({ op, name }) => op === 'CREATE' && name === 'file')
          .map((e) => e.path),
      );
    await expect.poll(() => files().size, { timeout: 20_000 }).toBe(20);
    await sleep(6_000);
    expect(await sandbox.state()).toBe('RUNNING');
    watch.close();
    await sandbox.asleep();
  });

  test.concurrent('wire check 10: many chatty processes leave the API quick, and the workload is the victim of its own memory', async ({
    expect,
  }) => {
    const sandbox = await sandboxes.create('chatty', { memory: 1_024 });
    const count = isFull ? 200 : 30;
    const chatter = 'end=$(($(date +%s) + 4)); while [ $(date +%s) -lt $end ]; do seq 1 2000; done';
    await Promise.all(
      Array.from({ length: count }, (_, at) => sandbox.start({ command: chatter, name: `chat-${at}` })),
    );
    const bomb = await sandbox.run('node -e "const kept = []; for (;;) kept.push(Buffer.alloc(1e7, 1))"', {
      timeout: 60,
    });
    expect(bomb).toMatchObject({ status: 'failed', exitCode: 137 });
    expect((await sandbox.health()).status).toBe('ok');
    await sandbox.asleep();
    expect(await sandbox.json<unknown[]>('GET', '/process')).toHaveLength(count + 1);
  });

  test.concurrent('wire check 11: a keepAlive process keeps the sandbox awake, also when the guest is killed and starts again', async ({
    expect,
  }) => {
    const sandbox = await sandboxes.create('alive');
    const command = 'i=0; while :; do i=$((i+1)); echo tick $i; sleep 0.1; done';
    const { pid } = await sandbox.start({ command, name: 'kept', keepAlive: true, timeout: 0 });
    await sandbox.run(killGuest).catch(() => undefined);
    await expect.poll(async () => (await sandbox.health()).status, { timeout: 20_000 }).toBe('ok');
    const listed = await sandbox.process('kept');
    expect(listed).toMatchObject({ pid, status: 'running', keepAlive: true });
    const lines = async () => (await sandbox.process('kept')).stdout?.split('\n').length ?? 0;
    const before = await lines();
    await expect.poll(lines, { timeout: 10_000 }).toBeGreaterThan(before);
    await sleep(8_000);
    expect(await sandbox.state()).toBe('RUNNING');
    await sandbox.call('DELETE', `/process/${pid}/kill`);
    await sandbox.asleep();
  });

  test.concurrent('wire check 14: after a ttl of a second it is TERMINATED, gone at the gateway, and its name makes a fresh one', async ({
    expect,
  }) => {
    // The ttl may be over before the sandbox is up.
    expect((await sandboxes.ask('short', { ttl: '1s' })).status).toBe(200);
    const sandbox = sandboxes.sandbox('short');
    await sleep(1_100);
    expect((await sandboxes.api.get('/sandboxes/short')).body.status).toBe('TERMINATED');
    expect((await sandbox.call('GET', '/health')).status).toBe(404);
    const next = await sandboxes.create('short');
    expect((await next.run('ls /tmp')).stdout).not.toContain('kept');
  });
});
