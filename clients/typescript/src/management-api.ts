// Requests to the management API of one deployment, typed by the operation.
import { discover } from './deployment.ts';
import { variable } from './environment.ts';
import { type FreeOperation, type OperationShape, type Operations, operations } from './generated/operations.ts';
import { InvalidRequestError } from './http/errors.ts';
import { Transport } from './http/transport.ts';

export interface BerthOptions {
  /** Address of the management API; BERTH_URL where left out. */
  readonly url?: string;
  /** API key; BERTH_KEY where left out. */
  readonly key?: string;
  /** Needed by keys that reach several workspaces; BERTH_WORKSPACE where left out. */
  readonly workspace?: string;
  /** Address of the gateway, where it is another than the deployment tells. */
  readonly gatewayUrl?: string;
  /** Time for the answer to a request. Streams and processes have no such limit. */
  readonly requestTimeoutMs?: number;
  /** Tries of a request that is safe to repeat, the first one included. */
  readonly maxTries?: number;
  /** Sends the requests; the `fetch` of the runtime where left out. */
  readonly fetch?: typeof fetch;
}

/** Names of the operations of the management API. */
export type OperationId = keyof Operations;

export interface CallOptions {
  /** Aborts the request. */
  readonly signal?: AbortSignal | undefined;
  /** Time for the answer, instead of that of the client. */
  readonly timeoutMs?: number | undefined;
  /** Requests with the same key are one request; each call has a key of its own otherwise. */
  readonly idempotencyKey?: string | undefined;
}

/** Path parameters, query and body of an operation. */
export type RequestArguments<Id extends OperationId> = Operations[Id]['given'] & CallOptions;

interface Loose {
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
}

const prefix = '/v0';
const defaults = { requestTimeoutMs: 60_000, maxTries: 5 };

export class ManagementApi {
  readonly #url: string;
  readonly #workspace: string | undefined;
  readonly #gatewayUrl: string | undefined;
  readonly #transport: Transport;

  constructor(options: BerthOptions = {}) {
    const url = options.url ?? variable('BERTH_URL');
    if (url === undefined) throw noAddress();
    this.#url = url.replace(/\/+$/, '').replace(/\/v0$/, '');
    this.#workspace = options.workspace ?? variable('BERTH_WORKSPACE');
    this.#gatewayUrl = options.gatewayUrl?.replace(/\/+$/, '');
    this.#transport = new Transport({
      ...defaults,
      ...(options.requestTimeoutMs !== undefined && { requestTimeoutMs: options.requestTimeoutMs }),
      ...(options.maxTries !== undefined && { maxTries: options.maxTries }),
      key: options.key ?? variable('BERTH_KEY'),
      // A bare reference would lose its window in a browser.
      fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    });
  }

  /** One request of the management API, typed by the operation. It is repeated where the connection breaks. */
  request<Id extends FreeOperation>(id: Id, given?: RequestArguments<Id>): Promise<Operations[Id]['answer']>;
  /** The same for operations that need parameters or a body. */
  request<Id extends OperationId>(id: Id, given: RequestArguments<Id>): Promise<Operations[Id]['answer']>;
  request(id: OperationId, given: Loose & CallOptions = {}): Promise<unknown> {
    return this.#send(id, given);
  }

  async #send(id: OperationId, given: Loose & CallOptions): Promise<unknown> {
    const operation: OperationShape = operations[id];
    const { params = {}, query = {}, body } = given;
    const { signal, timeoutMs, idempotencyKey } = given;
    const headers = operation.isPublic ? {} : await this.#headers();
    return this.#transport.json({
      url: this.#address(operation, params, query),
      method: operation.method,
      headers: {
        ...headers,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(operation.method === 'POST' ? { 'idempotency-key': idempotencyKey ?? crypto.randomUUID() } : {}),
      },
      ...{ body: body === undefined ? undefined : JSON.stringify(body), signal, timeoutMs },
      // A POST has its key, and the others do the same twice.
      isRepeatable: true,
      isPublic: operation.isPublic,
    });
  }

  /** All items of a listing, page by page as they are read. */
  async *list<Id extends ListingId>(id: Id, given: RequestArguments<Id>): AsyncGenerator<ItemOf<Id>> {
    const { query, ...others }: Loose & CallOptions = given;
    let cursor: string | undefined;
    do {
      const asked = { ...query, ...(cursor !== undefined && { cursor }) };
      const page = (await this.#send(id, { ...others, query: asked })) as Page<ItemOf<Id>>;
      yield* page.data;
      cursor = page.meta.hasMore ? page.meta.nextCursor : undefined;
    } while (cursor !== undefined);
  }

  /** @internal Sends requests to workloads through the gateway. */
  get transport(): Transport {
    return this.#transport;
  }

  /** Address of the gateway, which serves agents and sandboxes by path. */
  async gatewayUrl(): Promise<string> {
    return this.#gatewayUrl ?? (await discover(this.#transport, this.#url)).gatewayUrl;
  }

  async #headers(): Promise<Record<string, string>> {
    const { brand, versions } = await discover(this.#transport, this.#url);
    return {
      [`${brand.long}-Version`]: versions.at(-1) ?? '',
      ...(this.#workspace === undefined ? {} : { [`X-${brand.long}-Workspace`]: this.#workspace }),
    };
  }

  #address(
    { path, isAtRoot }: OperationShape,
    params: Readonly<Record<string, string>>,
    query: Readonly<Record<string, unknown>>,
  ): string {
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    const search = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]));
    return `${this.#url}${isAtRoot ? '' : prefix}${filled}${given.length === 0 ? '' : `?${search}`}`;
  }
}

interface Page<Item> {
  readonly data: readonly Item[];
  readonly meta: { readonly hasMore: boolean; readonly nextCursor: string };
}

/** Operations that answer with pages. */
export type ListingId = {
  [Id in OperationId]: Operations[Id]['answer'] extends Page<unknown> ? Id : never;
}[OperationId];

/** The type of one item of a listing. */
export type ItemOf<Id extends ListingId> = Operations[Id]['answer'] extends Page<infer Item> ? Item : never;

const noAddress = (): InvalidRequestError =>
  new InvalidRequestError({
    code: 'no_settings',
    status: undefined,
    message: 'The address of the deployment is not known. Give "url", or set BERTH_URL.',
  });
