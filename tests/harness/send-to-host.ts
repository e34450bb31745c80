import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface HostAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface HostRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/** Sends a request for one host to the address of another, as DNS would lead it there; `fetch` sets the host itself. */
export function openAtHost(
  address: string,
  host: string,
  { method = 'GET', path = '/', headers = {}, body, signal }: HostRequest = {},
): Promise<IncomingMessage> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    const options = { port, host: hostname, method, path, headers: { ...headers, host }, agent: false };
    request({ ...options, ...(signal === undefined ? {} : { signal }) })
      .on('error', reject)
      .on('response', resolve)
      .end(body);
  });
}

export async function sendToHost(address: string, host: string, asked: HostRequest = {}): Promise<HostAnswer> {
  const answer = await openAtHost(address, host, asked);
  return { status: answer.statusCode ?? 0, headers: answer.headers, text: await text(answer) };
}
