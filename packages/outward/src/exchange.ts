// One request to an address that a tenant has chosen. The name is resolved here, once, and the connection goes to one of
// the addresses that were checked: a name that changes its answer later (DNS rebinding) changes nothing. Redirects are not
// followed, because a redirect is another address that a stranger has chosen. There is no proxy: the agent is our own,
// and reads no variables.
import type { LookupAddress } from 'node:dns';
import { type ClientRequest, type IncomingMessage, Agent as PlainAgent, request as requestPlain } from 'node:http';
import { request as requestTls, Agent as TlsAgent } from 'node:https';
import type { LookupFunction } from 'node:net';
import { openAddresses } from './open-address.ts';
import { giveAddresses, openAddressesOf } from './open-addresses-of.ts';
import { OutwardError } from './outward-error.ts';
import { type Resolve, resolveName } from './resolve.ts';

export interface ExchangeOptions {
  /** Addresses and ranges that may be called although they are not on the internet. */
  readonly allowedRanges?: readonly string[];
  /** Time for everything: name, connection, request and answer. */
  readonly timeoutMs?: number;
  /** DNS. */
  readonly resolve?: Resolve;
}

interface OutwardRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/** Reads what is wanted of an answer; the connection is closed afterwards. */
type ReadAnswer<Result> = (answer: IncomingMessage) => Promise<Result>;

/** Throws `OutwardError` when there was no answer, or when it could not be read. */
export type Exchange = <Result>(url: string, request: OutwardRequest, read: ReadAnswer<Result>) => Promise<Result>;

export function createExchange({
  allowedRanges = [],
  timeoutMs = 10_000,
  resolve = resolveName,
}: ExchangeOptions): Exchange {
  const isOpen = openAddresses(allowedRanges);
  return async (text, request, read) => {
    const url = readUrl(text);
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const addresses = await openAddressesOf(hostOf(url), { isOpen, resolve }, signal);
      return await answerOf(send(url, request, addresses, signal), request.body, read);
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

function send(
  url: URL,
  { method, headers }: OutwardRequest,
  addresses: readonly LookupAddress[],
  signal: AbortSignal,
): ClientRequest {
  const options = { method, headers, signal, lookup: lookupAmong(addresses) };
  return url.protocol === 'https:'
    ? requestTls(url, { ...options, agent: new TlsAgent({ keepAlive: false }) })
    : requestPlain(url, { ...options, agent: new PlainAgent({ keepAlive: false }) });
}

/** Node asks this instead of DNS. It is not asked for an address, which was checked as it is. */
const lookupAmong =
  (open: readonly LookupAddress[]): LookupFunction =>
  (_host, options, done) =>
    giveAddresses(open, options, done);

function answerOf<Result>(call: ClientRequest, body: Buffer | undefined, read: ReadAnswer<Result>): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  // Not `once`: a connection that is closed early may report an error after the promise is settled.
  call.on('error', reject);
  const closedEarly = (): void => reject(new Error('The connection was closed without an answer.'));
  call.once('close', closedEarly);
  call.once('response', (answer) => {
    call.off('close', closedEarly);
    call.off('error', reject).on('error', () => {});
    void read(answer)
      .finally(() => call.destroy())
      .then(resolve, reject);
  });
  call.end(body);
  return promise;
}
