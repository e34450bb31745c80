// A client that checks every answer against the contract: an undeclared status or field fails the test.
import { type Brand, defaultBrand, headerNames, type Operation, operations } from '@berth/contract';
import { checkAnswer } from './check-answer.ts';

export interface Asked {
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent unchanged, for bodies that are not JSON. */
  readonly rawBody?: string;
}

export interface Answer {
  readonly status: number;
  // Tests reach into answers freely; the contract check has already validated each one against its schema.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly body: any;
  readonly text: string;
  readonly headers: Headers;
}

export interface ClientSettings {
  readonly url: string;
  readonly brand?: Brand;
  readonly key?: string | undefined;
  readonly workspace?: string | undefined;
  readonly version?: string | undefined;
}

const matchers = operations.map((operation) => ({
  operation,
  pattern: new RegExp(
    `^${(operation.base === 'api_url' ? '' : '/v0') + operation.path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`,
  ),
}));

function findOperation(method: string, path: string): Operation | undefined {
  const found = matchers.filter(({ operation, pattern }) => operation.method === method && pattern.test(path));
  // A literal path wins over one with a parameter, as in the router.
  return found.sort((a, b) => a.operation.path.split('{').length - b.operation.path.split('{').length)[0]?.operation;
}

export class Client {
  readonly #settings: ClientSettings;

  constructor(settings: ClientSettings) {
    this.#settings = settings;
  }

  with(changes: Partial<ClientSettings>): Client {
    return new Client({ ...this.#settings, ...changes });
  }

  get(path: string, asked: Asked = {}): Promise<Answer> {
    return this.send('GET', path, asked);
  }
  post(path: string, body?: unknown, asked: Asked = {}): Promise<Answer> {
    return this.send('POST', path, { ...asked, body });
  }
  put(path: string, body?: unknown, asked: Asked = {}): Promise<Answer> {
    return this.send('PUT', path, { ...asked, body });
  }
  delete(path: string, asked: Asked = {}): Promise<Answer> {
    return this.send('DELETE', path, asked);
  }

  /** `path` is relative to base_url; a path that begins with `//` is relative to the host. */
  async send(method: string, path: string, asked: Asked): Promise<Answer> {
    const { url, brand = defaultBrand, key, workspace, version } = this.#settings;
    const names = headerNames(brand);
    const full = new URL(path.startsWith('//') ? path.slice(1) : `/v0${path}`, url);
    for (const [name, value] of Object.entries(asked.query ?? {})) full.searchParams.set(name, String(value));
    const body = asked.rawBody ?? (asked.body === undefined ? undefined : JSON.stringify(asked.body));
    const response = await fetch(full, {
      method,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(workspace === undefined ? {} : { [names.workspace]: workspace }),
        ...(version === undefined ? {} : { [names.version]: version }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...asked.headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    const parsed: unknown = text === '' ? undefined : JSON.parse(text);
    checkAnswer(findOperation(method, full.pathname), response.status, parsed);
    return { status: response.status, body: parsed, text, headers: response.headers };
  }
}
