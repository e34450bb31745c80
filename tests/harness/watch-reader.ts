import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';

export type WatchedEvent = { op: string; name: string; path: string; error: string | null };

/** Reads a watch stream line by line. Resolves when the stream has started: from then on no event may be missed. */
export async function readWatch(url: string, headers: Readonly<Record<string, string>> = {}) {
  const request = get(url, { agent: false, headers });
  const [response]: IncomingMessage[] = (await once(request, 'response')) as IncomingMessage[];
  if (response === undefined) throw new Error('There is no answer.');
  const lines: string[] = [];
  let rest = '';
  response.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
  });
  const events = (): WatchedEvent[] => lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
  const ended = new Promise((resolve) => response.once('close', resolve));
  response.on('error', () => undefined);
  return {
    response,
    lines,
    events,
    ended,
    /** Waits for an event of this path, given as `folder/name`. */
    async until(path: string, op = 'CREATE', ms = 45_000): Promise<void> {
      const isThere = () => events().some((event) => event.op === op && `${event.path}/${event.name}` === path);
      const timeout = AbortSignal.timeout(ms);
      while (!isThere()) await once(response, 'data', { signal: timeout });
    },
    close: () => request.destroy(),
    [Symbol.dispose]: () => void request.destroy(),
  };
}
