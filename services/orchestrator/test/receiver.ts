// A receiver of callbacks on this machine. It stands in for a server of a tenant on the internet.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedCall {
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export class Receiver implements AsyncDisposable {
  readonly calls: ReceivedCall[] = [];
  /** Status of each answer; a call is left without an answer where it is undefined. */
  answer: (call: ReceivedCall) => number | undefined = () => 200;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer(async (incoming, outgoing) => {
      const body = (await incoming.toArray()).join('');
      const call = { path: incoming.url, headers: incoming.headers, body };
      this.calls.push(call);
      const status = this.answer(call);
      if (status !== undefined) outgoing.writeHead(status).end();
    });
  }

  static async start(port = 0): Promise<Receiver> {
    const receiver = new Receiver();
    receiver.#server.listen(port, '127.0.0.1');
    await once(receiver.#server, 'listening');
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
