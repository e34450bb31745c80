import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import WebSocket from 'ws';

/** Client of a terminal's WebSocket: collects everything shown so far as one text. */
export async function connectTerminal(url: string, query: Record<string, string | number> = {}) {
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const socket = new WebSocket(`${url.replace('http', 'ws')}/terminal/ws?${search}`);
  let shown = '';
  const errors: string[] = [];
  let frames = 0;
  socket.on('message', (data) => {
    const frame = JSON.parse(String(data)) as { type: string; data: string };
    frames += 1;
    if (frame.type === 'output') shown += frame.data;
    if (frame.type === 'error') errors.push(frame.data);
  });
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  await Promise.race([once(socket, 'open'), once(socket, 'error').then(([error]) => Promise.reject(error))]);
  return {
    socket,
    errors,
    closed,
    shown: () => shown,
    frames: () => frames,
    type: (data: string) => socket.send(JSON.stringify({ type: 'input', data })),
    resize: (cols: number, rows: number) => socket.send(JSON.stringify({ type: 'resize', cols, rows })),
    async until(what: string | RegExp, seconds = 45): Promise<string> {
      const deadline = Date.now() + seconds * 1000;
      const isThere = () => (typeof what === 'string' ? shown.includes(what) : what.test(shown));
      while (!isThere()) {
        if (Date.now() > deadline) throw new Error(`${what} was not shown; this was: ${shown.slice(-2000)}`);
        await delay(10);
      }
      return shown;
    },
    async [Symbol.asyncDispose]() {
      socket.terminate();
      await closed;
    },
  };
}
