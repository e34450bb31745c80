// A headless Chromium, driven by its own protocol: opens a page, runs scripts in it, types, takes a picture.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import WebSocket from 'ws';
import { chromium, chromiumProgram } from '../../engines/chromium.ts';
import { temporaryFolder } from './temporary-folder.ts';

const startedPattern = /DevTools listening on (ws:\S+)/;

export type Page = {
  /** Value of an expression in the page; promises are awaited. */
  run(expression: string): Promise<unknown>;
  /** Inserts text as if typed on a keyboard. */
  type(text: string): Promise<void>;
  press(key: 'Enter'): Promise<void>;
  /** Waits until the expression is true in the page. */
  until(expression: string, seconds?: number): Promise<void>;
  /** The visible part of the page as PNG. */
  screenshot(): Promise<Buffer>;
  /** Errors of scripts and of the console. */
  readonly errors: readonly string[];
};

type Reply = { id?: number; method?: string; params?: Record<string, unknown>; result?: Evaluated; error?: unknown };
type Evaluated = { result?: { value?: unknown }; exceptionDetails?: unknown; data?: string };

export async function startBrowser() {
  await chromium.install();
  await using made = new AsyncDisposableStack();
  const folder = made.use(await temporaryFolder());
  const args = [
    '--headless=new',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    '--remote-debugging-port=0',
  ];
  const child = spawn(chromiumProgram, [...args, `--user-data-dir=${folder.path}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  made.defer(async () => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  });
  const address = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.stderr.on('data', (chunk: Buffer) => {
      text += String(chunk);
      const [, url] = startedPattern.exec(text) ?? [];
      if (url !== undefined) resolve(url);
    });
    child.once('exit', () => reject(new Error(`Chromium ended: ${text.slice(-2_000)}`)));
  });
  const kept = made.move();
  return {
    open: (url: string) => openPage(new URL(address).host, url),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

async function openPage(host: string, url: string): Promise<Page> {
  const response = await fetch(`http://${host}/json/new?about:blank`, { method: 'PUT' });
  const target = (await response.json()) as { webSocketDebuggerUrl: string };
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await once(socket, 'open');
  const waiting = new Map<number, (reply: Reply) => void>();
  const errors: string[] = [];
  const loaded = Promise.withResolvers<void>();
  let next = 0;
  socket.on('message', (data) => {
    const reply = JSON.parse(String(data)) as Reply;
    if (reply.id !== undefined) waiting.get(reply.id)?.(reply);
    if (reply.method === 'Runtime.exceptionThrown' || reply.method === 'Log.entryAdded')
      errors.push(JSON.stringify(reply.params).slice(0, 1_000));
    if (reply.method === 'Page.loadEventFired') loaded.resolve();
  });
  async function send(method: string, params: Record<string, unknown> = {}): Promise<Evaluated> {
    next += 1;
    const id = next;
    const reply = await new Promise<Reply>((resolve) => {
      waiting.set(id, resolve);
      socket.send(JSON.stringify({ id, method, params }));
    });
    waiting.delete(id);
    if (reply.error !== undefined) throw new Error(`${method}: ${JSON.stringify(reply.error)}`);
    return reply.result ?? {};
  }
  await send('Runtime.enable');
  await send('Log.enable');
  await send('Page.enable');
  // The commands above are for the empty page, whose load has ended.
  await send('Page.navigate', { url });
  // What is run earlier is lost with the empty page.
  await loaded.promise;
  const page: Page = {
    errors,
    async run(expression) {
      const { result, exceptionDetails } = await send('Runtime.evaluate', {
        expression,
        awaitPromise: true,
        returnByValue: true,
      });
      if (exceptionDetails !== undefined)
        throw new Error(`In the page: ${JSON.stringify(exceptionDetails).slice(0, 1_000)}`);
      return result?.value;
    },
    async type(text) {
      await send('Input.insertText', { text });
    },
    async press(key) {
      const event = { key, code: key, windowsVirtualKeyCode: 13, text: '\r' };
      await send('Input.dispatchKeyEvent', { type: 'keyDown', ...event });
      await send('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
    },
    async screenshot() {
      const { data = '' } = await send('Page.captureScreenshot');
      return Buffer.from(data, 'base64');
    },
    async until(expression, seconds = 20) {
      const deadline = Date.now() + seconds * 1_000;
      while (!(await page.run(expression).catch(() => false))) {
        if (Date.now() > deadline) throw new Error(`${expression} did not come true. Errors: ${errors.join('\n')}`);
        await sleep(50);
      }
    },
  };
  return page;
}
