// A client outside of the box: it trusts the authority of the test alone, and reaches the box by its address.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { InstallBox } from './install-box.ts';

export interface EdgeAnswer {
  readonly status: number;
  readonly body: string;
}

interface EdgeWish {
  readonly key?: string;
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function askEdge(
  { box, acme }: InstallBox,
  url: string,
  { key, method = 'GET', body, headers = {} }: EdgeWish = {},
): Promise<EdgeAnswer> {
  const { hostname, pathname, search } = new URL(url);
  const outgoing = request({
    ...{ host: box.address, port: 443, servername: hostname, method, path: `${pathname}${search}`, agent: false },
    ca: await readFile(join(acme.folder, 'roots.pem')),
    headers: {
      ...headers,
      host: hostname,
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
  });
  outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = await once(outgoing, 'response');
  return { status: response.statusCode, body: await text(response) };
}
