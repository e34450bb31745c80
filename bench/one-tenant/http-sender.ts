import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { defaultBrand, headerNames } from '@berth/contract';

const names = headerNames(defaultBrand);

export interface Caller {
  readonly key: string;
  readonly workspace: string;
  /** Client address as a proxy in front would report it, so that rate limits per address apply. */
  readonly address: string;
}

export interface Sent {
  readonly status: number;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
}

/** Sends on keep-alive connections, so that the client costs little beside the measured service. */
export class HttpSender implements Disposable {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #headers: Readonly<Record<string, string>>;

  constructor({ key, workspace, address }: Caller) {
    this.#headers = {
      authorization: `Bearer ${key}`,
      [names.workspace]: workspace,
      [names.version]: '2026-04-28',
      'x-forwarded-for': address,
    };
  }

  async send(method: string, url: string, body?: string): Promise<Sent> {
    const answered = Promise.withResolvers<Sent>();
    const headers =
      body === undefined
        ? this.#headers
        : { ...this.#headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const outgoing = request(url, { method, agent: this.#agent, headers }, (response) => {
      const { statusCode: status = 0, headers: told } = response;
      text(response).then((found) => answered.resolve({ status, body: found, headers: told }), answered.reject);
    });
    outgoing.on('error', answered.reject).end(body);
    return answered.promise;
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}
