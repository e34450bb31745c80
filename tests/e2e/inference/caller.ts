import { once } from 'node:events';
import { request as send } from 'node:http';
import { request as sendTls } from 'node:https';
import { text } from 'node:stream/consumers';

interface CallOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Called {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into what a workload of theirs answers
  readonly body: any;
}

export type Call = (target: string, options?: CallOptions) => Promise<Called>;

/** Sends the target byte for byte as given; answers are JSON. `ca` is the authority of a gateway that speaks TLS. */
export function callerTo(gateway: { url: string; key: string; ca?: Buffer }): Call {
  const { protocol, hostname, port } = new URL(gateway.url);
  return async (path, { method = 'GET', headers, body } = {}) => {
    const place = { hostname, port, path, method };
    const all = { authorization: `Bearer ${gateway.key}`, ...headers };
    const outgoing =
      protocol === 'https:' ? sendTls({ ...place, headers: all, ca: gateway.ca }) : send({ ...place, headers: all });
    outgoing.end(body);
    const [incoming] = await once(outgoing, 'response');
    return { status: incoming.statusCode, headers: incoming.headers, body: JSON.parse(await text(incoming)) };
  };
}

/** Value of a header in the raw list that a workload received, where names and values alternate. */
export const headerOf = (raw: readonly string[], name: string): string | undefined =>
  raw.find((_, at) => at % 2 === 1 && raw[at - 1]?.toLowerCase() === name);
