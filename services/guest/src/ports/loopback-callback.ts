// Checks the callback address of a port monitor and calls it. Only this sandbox is allowed: otherwise the guest would
// make requests that its caller could not.
import { type RequestOptions, request } from 'node:http';
import { BlockList, type LookupFunction } from 'node:net';
import { Fault } from '../http/fault.ts';

const callbackTimeoutMs = 5_000;

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

export function callbackTarget(text: string): URL {
  const url = URL.parse(text);
  if (url === null) throw new Fault(400, 'callback is not an address. Give one like http://127.0.0.1:3000/ports.');
  if (url.protocol !== 'http:' || !isLoopbackHost(url.hostname)) {
    throw new Fault(
      400,
      'callback must lead to this sandbox itself: http:// with 127.0.0.1, [::1] or localhost. Run a small relay there to pass it on.',
    );
  }
  return url;
}

function isLoopbackHost(host: string): boolean {
  if (host === 'localhost') return true;
  if (host.startsWith('[')) return loopback.check(host.slice(1, -1), 'ipv6');
  return /^[\d.]+$/.test(host) && loopback.check(host, 'ipv4');
}

/** One attempt. Resolves when it is over, whether it succeeded or not: a failed callback is not reported. */
export function postOnce(url: URL, body: object, signal: AbortSignal): Promise<void> {
  const bytes = Buffer.from(JSON.stringify(body));
  const options: RequestOptions = {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': bytes.length },
    agent: false,
    lookup: loopbackLookup,
    signal: AbortSignal.any([signal, AbortSignal.timeout(callbackTimeoutMs)]),
  };
  return new Promise((resolve) => {
    const call = request(url, options, (response) => {
      response.resume();
      response.once('close', resolve);
    });
    call.once('error', () => resolve());
    call.end(bytes);
  });
}

/** Ignores the sandbox's own hosts file, which may map `localhost` to any address. */
const loopbackLookup: LookupFunction = (_host, options, done) => {
  if (options.all) {
    done(null, [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]);
  } else done(null, '127.0.0.1', 4);
};
