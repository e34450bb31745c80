// What a program does with a sandbox, step by step. It uses the client and what every runtime has, so that it runs in Node and in a
// page of a browser. A step throws where something is not as expected.
import { Berth, ExitError, NotFoundError, type SandboxHandle } from 'berth-sdk';

export interface StorySettings {
  readonly url: string;
  readonly key: string;
  readonly gatewayUrl: string;
  readonly image: string;
  /** Of the file that is written and read whole. */
  readonly largeMib: number;
  /** Of the sandbox. */
  readonly name: string;
}

/** In the order in which they have to be taken. The programs in Python take the same. */
export const steps = ['create', 'exec', 'stream', 'files', 'watch', 'terminal', 'port', 'preview', 'delete'] as const;

export type Step = (typeof steps)[number];
export type Story = Readonly<Record<Step, () => Promise<void>>>;

const mib = 1024 * 1024;

export function startStory({ name, image, largeMib, ...deployment }: StorySettings): Story {
  const berth = new Berth({ ...deployment, workspace: 'main' });
  let box: SandboxHandle;

  return {
    async create() {
      box = await berth.sandboxes.create({ name, image, memory: 1_024, ports: [3000], env: { GREETING: 'hi' } });
      same(box.info.status, 'DEPLOYED');
    },

    async exec() {
      const heard: string[] = [];
      const { exitCode, stdout, stderr, isComplete } = await box.exec(
        'echo "$GREETING"; pwd; echo später >&2; exit 3',
        { cwd: '/tmp', onStdout: (text) => heard.push(text), onStderr: (text) => heard.push(text) },
      );
      same(
        { exitCode, stdout, stderr, isComplete },
        { exitCode: 3, stdout: 'hi\n/tmp\n', stderr: 'später\n', isComplete: true },
      );
      same(heard.join('').length, stdout.length + stderr.length);
      same((await box.exec('cat', { input: 'given\n' })).stdout, 'given\n');
      const unread = await box.exec('exec 0<&-; sleep 0.2; echo read nothing', { input: 'x'.repeat(1_000_000) });
      same(unread.stdout, 'read nothing\n');
      const error = await errorOf(box.exec('echo reason >&2; exit 4', { check: true }));
      same(error instanceof ExitError, true);
      same(String(error).includes('ended with exit code 4.\nreason'), true);
    },

    async stream() {
      const process = await box.spawn('for i in 1 2 3; do echo line $i; sleep 0.1; done');
      const decoder = new TextDecoder();
      let text = '';
      for await (const event of process.events()) if ('bytes' in event) text += decoder.decode(event.bytes);
      same(text, 'line 1\nline 2\nline 3\n');
    },

    async files() {
      await box.files.write('/work/a b/ä%?.txt', 'text');
      same(await box.files.readText('/work/a b/ä%?.txt'), 'text');
      const { files } = await box.files.list('/work/a b');
      same(
        files.map((file) => file.name),
        ['ä%?.txt'],
      );
      await box.files.remove('/work/a b/ä%?.txt');
      same((await errorOf(box.files.read('/work/a b/ä%?.txt'))) instanceof NotFoundError, true);
      const large = randomBytes(largeMib * mib);
      const wanted = await sha256(large);
      let sent = 0;
      await box.files.write('/work/large', large, { onProgress: (bytes) => (sent = bytes) });
      same(sent, large.length);
      same((await box.exec('sha256sum /work/large')).stdout.slice(0, wanted.length), wanted);
      same(await sha256(await box.files.read('/work/large')), wanted);
      await box.files.remove('/work/large');
    },

    async watch() {
      await box.files.makeFolder('/work/watched');
      // The watch begins some time after it is asked for.
      const writer = await box.spawn('for i in $(seq 100); do touch /work/watched/$i; sleep 0.1; done');
      for await (const event of box.files.watch('/work/watched')) {
        same([event.path, /^\d+$/.test(event.name)], ['/work/watched', true]);
        break;
      }
      await writer.kill();
    },

    async terminal() {
      let shown = '';
      const terminal = await box.terminal({ cols: 120, rows: 40, onOutput: (text) => (shown += text) });
      terminal.write('echo $((40 + 2))\n');
      await until(() => shown.includes('42'));
      terminal.resize(100, 30);
      terminal.write('stty size\n');
      await until(() => shown.includes('30 100'));
      terminal.close();
      await terminal.closed;
    },

    async port() {
      const program = `require('http').createServer((q, s) => s.end('port ' + q.url)).listen(3000, '0.0.0.0')`;
      await box.spawn(`node -e "${program}"`, { name: 'web', keepAlive: true });
      const headers = { authorization: `Bearer ${deployment.key}` };
      const address = `${await box.port(3000)}/x`;
      await until(async () => (await (await fetch(address, { headers })).text()) === 'port /x');
    },

    async preview() {
      const preview = await box.previews.create('open', { port: 3000, public: true });
      same(preview.spec.url?.startsWith('http'), true);
      await box.previews.delete('open');
      same(await box.previews.list(), []);
      const server = box.process('web');
      same(await server.kill(), true);
      same((await server.wait()).exitCode, 137);
      same(await server.stop(), false);
    },

    async delete() {
      const names: string[] = [];
      for await (const each of berth.sandboxes.list()) names.push(each.name);
      same(names.includes(name), true);
      same((await box.refresh()).info.status, 'DEPLOYED');
      await box.delete();
      await box.delete();
      // What has ended can be read for a while.
      await until(async () => (await berth.sandboxes.get(name)).info.status === 'TERMINATED');
      same((await errorOf(berth.sandboxes.get('never-made'))) instanceof NotFoundError, true);
    },
  };
}

function same(actual: unknown, expected: unknown): void {
  const [one, other] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (one !== other) throw new Error(`${one} instead of ${other}`);
}

/** For about 20 s. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`Never true: ${holds}`);
}

const errorOf = (running: Promise<unknown>): Promise<unknown> =>
  running.then(
    () => undefined,
    (error: unknown) => error,
  );

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** A call gives 64 KiB at most. */
function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536));
  return bytes;
}
