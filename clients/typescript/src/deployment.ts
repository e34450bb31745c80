// What the deployment tells about itself: names of headers, versions, and the address of its gateway.
import type { Discovery } from './generated/management.ts';
import type { Transport } from './http/transport.ts';

const known = new Map<string, Promise<Discovery>>();

/** Read once for each address. */
export function discover(transport: Transport, url: string): Promise<Discovery> {
  const reading =
    known.get(url) ??
    transport
      .json({ url: `${url}/.well-known/berth`, method: 'GET', isRepeatable: true, isPublic: true })
      .then((answer) => answer as Discovery);
  known.set(url, reading);
  // A failure is not kept: the next request asks again.
  reading.catch(() => known.delete(url));
  return reading;
}
