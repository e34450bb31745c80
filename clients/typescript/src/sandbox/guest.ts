// Requests to the API inside one sandbox, through the gateway.
import type { OpenAnswer, Sent, Transport } from '../http/transport.ts';

export type GuestRequest = Omit<Sent, 'url'> & { readonly path: string; readonly json?: unknown };

export class Guest {
  readonly #transport: Transport;
  readonly #address: () => Promise<string>;

  constructor(transport: Transport, address: () => Promise<string>) {
    this.#transport = transport;
    this.#address = address;
  }

  get key(): string | undefined {
    return this.#transport.key;
  }

  /** Address below which the routes are. */
  address(): Promise<string> {
    return this.#address();
  }

  /** The answer has the form that the interface promises for the route. */
  async json<Answer>(request: GuestRequest): Promise<Answer> {
    return (await this.#transport.json(await this.#sent(request))) as Answer;
  }

  async bytes(request: GuestRequest): Promise<Uint8Array<ArrayBuffer>> {
    return this.#transport.bytes(await this.#sent(request));
  }

  async stream(request: GuestRequest): Promise<OpenAnswer> {
    return this.#transport.stream(await this.#sent(request));
  }

  async #sent({ path, json, headers, ...sent }: GuestRequest): Promise<Sent> {
    const url = `${await this.#address()}${path}`;
    if (json === undefined) return { ...sent, url, headers };
    return { ...sent, url, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(json) };
  }
}
