// Stand-in for a provider of models, which is a third party on the internet. It records what it receives, and answers as a
// test tells it.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[];
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type ProviderAnswer = (request: ReceivedRequest, response: ServerResponse) => unknown;

export class ProviderStandIn implements AsyncDisposable {
  readonly requests: ReceivedRequest[] = [];
  /** May be exchanged at any time. */
  answer: ProviderAnswer;
  readonly #server: Server;

  private constructor(answer: ProviderAnswer) {
    this.answer = answer;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(answer: ProviderAnswer = answerJson({})): Promise<ProviderStandIn> {
    const standIn = new ProviderStandIn(answer);
    standIn.#server.listen(0, '127.0.0.1');
    await once(standIn.#server, 'listening');
    return standIn;
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('The provider does not listen.');
    return `http://127.0.0.1:${address.port}`;
  }

  get last(): ReceivedRequest {
    const last = this.requests.at(-1);
    if (last === undefined) throw new Error('The provider has received nothing.');
    return last;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', rawHeaders, headers } = request;
    const body = await buffer(request).catch(() => undefined);
    // The sender broke off.
    if (body === undefined) return;
    const received = { method, path, rawHeaders, headers, body: body.toString() };
    this.requests.push(received);
    await this.answer(received, response);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

export const answerJson =
  (body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): ProviderAnswer =>
  (_request, response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

/** Each text is one event. */
export const answerEvents =
  (events: readonly string[]): ProviderAnswer =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of events) response.write(`${event}\n\n`);
    response.end();
  };
