// Bare Restate with a handler that does nothing, in this process: what every durable message costs at least.
import { createServer } from 'node:http2';
import { createEndpointHandler, handlers, type ObjectContext, object } from '@restatedev/restate-sdk';
import { freePort } from '../../engines/free-port.ts';
import type { RunningRestate } from '../../engines/restate.ts';

/** Handlers of both sides run in this process, so that the start and the end of a message are on one clock. */
export class Arrivals {
  #missing = 0;
  #done: () => void = () => {};

  expect(count: number): Promise<void> {
    this.#missing = count;
    return new Promise((resolve) => {
      this.#done = resolve;
    });
  }

  arrived(): void {
    this.#missing -= 1;
    if (this.#missing === 0) this.#done();
  }
}

export interface BareRestate {
  /** Resolves when Restate has accepted the message. */
  send(key: string): Promise<void>;
  /** Resolves when the handler has run. */
  call(key: string): Promise<void>;
  stop(): Promise<void>;
}

export async function serveBare(
  { ingressUrl, adminUrl }: Pick<RunningRestate, 'ingressUrl' | 'adminUrl'>,
  arrivals: Arrivals,
): Promise<BareRestate> {
  const handle = async (_: ObjectContext, __: unknown): Promise<void> => arrivals.arrived();
  const bare = object({ name: 'bare', handlers: { handle: handlers.object.exclusive(handle) } });
  const server = createServer(createEndpointHandler({ services: [bare], logger: () => {} }));
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const post = async (url: string, body: object): Promise<void> => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    await response.text();
    if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  };
  await post(`${adminUrl}/deployments`, { uri: `http://127.0.0.1:${port}` });
  return {
    send: (key) => post(`${ingressUrl}/bare/${key}/handle/send`, {}),
    call: (key) => post(`${ingressUrl}/bare/${key}/handle`, {}),
    stop: async () => void server.close(),
  };
}

/** Runs `work` for each index below `count`, `atATime` of them at once. */
export async function inParallel(
  count: number,
  atATime: number,
  work: (index: number) => Promise<void>,
): Promise<void> {
  const waiting = Array.from({ length: count }, (_, index) => index).values();
  const worker = async (): Promise<void> => {
    for (const index of waiting) await work(index);
  };
  await Promise.all(Array.from({ length: atATime }, worker));
}
