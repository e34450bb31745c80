// A POST to an address that a tenant has chosen. The name is resolved here, once, and the connection goes to one of the
// addresses that were checked: a name that changes its answer later (DNS rebinding) changes nothing. Redirects are not
// followed, because a redirect is another address that a stranger has chosen. There is no proxy: the agent is our own,
// and reads no variables.
import { type ClientRequest, type IncomingMessage, Agent as PlainAgent, request as requestPlain } from 'node:http';
import { request as requestTls, Agent as TlsAgent } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { openAddresses } from './open-address.ts';
import { OutwardError } from './outward-error.ts';
import { type Resolve, resolveName } from './resolve.ts';

export interface PostOptions {
  /** Addresses and ranges that may be called although they are not on the internet. */
  readonly allowedRanges?: readonly string[];
  /** Time for everything: name, connection, request and answer. */
  readonly timeoutMs?: number;
  /** Bytes of the answer's body that are read. The connection is closed at the first byte beyond. */
  readonly maxAnswerBytes?: number;
  /** DNS. */
  readonly resolve?: Resolve;
}

export interface PostedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Resolves with the status of the answer. Throws `OutwardError` when there was none. */
export type Post = (url: string, request: PostedRequest) => Promise<number>;

export function createPost({
  allowedRanges = [],
  timeoutMs = 10_000,
  maxAnswerBytes = 64 * 1024,
  resolve = resolveName,
}: PostOptions = {}): Post {
  const isOpen = openAddresses(allowedRanges);
  return async (text, { headers, body }) => {
    const url = readUrl(text);
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const addresses = await openAddressesOf(url, isOpen, resolve, signal);
      const bytes = Buffer.from(body);
      const call = send(url, { ...headers, 'content-length': String(bytes.length) }, addresses, signal);
      return await answerOf(call, bytes, maxAnswerBytes);
    } catch (error) {
      if (error instanceof OutwardError) throw error;
      if (signal.aborted) throw new OutwardError('timeout', `No answer within ${timeoutMs / 1_000} seconds.`, error);
      throw new OutwardError('connection', 'The connection failed.', error);
    }
  };
}

function readUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new OutwardError('address', 'The address does not begin with http:// or https://.');
  return url;
}

/** The URL parser has brought every spelling of an IPv4 address into the form with four numbers. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

async function openAddressesOf(
  url: URL,
  isOpen: (address: string) => boolean,
  resolve: Resolve,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const host = hostOf(url);
  const found = isIP(host) === 0 ? await resolve(host, signal).catch(() => []) : [host];
  signal.throwIfAborted();
  const open = found.filter(isOpen);
  if (open.length === 0) throw new OutwardError('address', `${host} has no address on the internet.`);
  return open;
}

function send(
  url: URL,
  headers: Readonly<Record<string, string>>,
  addresses: readonly string[],
  signal: AbortSignal,
): ClientRequest {
  const options = { method: 'POST', headers, signal, lookup: lookupAmong(addresses) };
  return url.protocol === 'https:'
    ? requestTls(url, { ...options, agent: new TlsAgent({ keepAlive: false }) })
    : requestPlain(url, { ...options, agent: new PlainAgent({ keepAlive: false }) });
}

/** Node asks this instead of DNS. It is not asked for an address, which was checked as it is. */
const lookupAmong = (addresses: readonly string[]): LookupFunction => {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, done) => {
    const [first] = all;
    if (options.all) done(null, all);
    else done(null, first?.address ?? '', first?.family);
  };
};

/** The status counts as soon as it is there: a body that breaks off, or never ends, does not change it. */
function answerOf(call: ClientRequest, body: Buffer, maxBytes: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  // Not `once`: a connection that is closed early may report an error after the promise is settled.
  call.on('error', reject);
  const closedEarly = (): void => reject(new Error('The connection was closed without an answer.'));
  call.once('close', closedEarly);
  call.once('response', (answer) => {
    call.off('close', closedEarly);
    call.off('error', reject).on('error', () => {});
    void readSome(answer, maxBytes).then(() => {
      call.destroy();
      resolve(answer.statusCode ?? 0);
    });
  });
  call.end(body);
  return promise;
}

/** A receiver that is cut off while it writes its answer may take the request for failed, so some of it is read. */
async function readSome(answer: IncomingMessage, maxBytes: number): Promise<void> {
  let bytes = 0;
  try {
    for await (const chunk of answer) {
      bytes += chunk.length;
      if (bytes > maxBytes) return;
    }
  } catch {
    // It broke off, or took too long.
  }
}
