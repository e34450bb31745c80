// A plain HTTP client with keep-alive connections: producing the load must not cost more than serving it.
import { Agent, request } from 'node:http';

export interface Reply {
  readonly status: number;
  readonly text: string;
}

export class KeepAliveClient {
  readonly #agent: Agent;
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(base: string, headers: Readonly<Record<string, string>>, connections: number) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
    this.#base = base;
    this.#headers = headers;
  }

  send(method: string, path: string, body?: string, signal?: AbortSignal): Promise<Reply> {
    return new Promise((done, failed) => {
      const sent = request(
        `${this.#base}${path}`,
        { method, agent: this.#agent, headers: this.#headersFor(body), ...(signal === undefined ? {} : { signal }) },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () => done({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
          response.on('error', failed);
        },
      );
      sent.on('error', failed);
      sent.end(body);
    });
  }

  #headersFor(body: string | undefined) {
    if (body === undefined) return this.#headers;
    return { ...this.#headers, 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
  }

  close(): void {
    this.#agent.destroy();
  }
}
