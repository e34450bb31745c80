// The engine asks registries from the machine's own network, past the rules that hold for instances. A registry that a tenant
// names must therefore be on the internet. The engine resolves the name again: one whose answers change in between, or a
// registry that sends the engine on to another address, is not held back here (docs/operations/runners.md).
import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { PullFailed } from '../driver/driver.ts';
import { closedRanges } from '../network/ruleset.ts';

const closed = new BlockList();
for (const range of closedRanges) addRange(closed, range, 'ipv4');

const global = new BlockList();
addRange(global, '2000::/3', 'ipv6');
/** Inside the global range: addresses of protocols, documentation, and IPv4 addresses in disguise. */
const closedGlobal = new BlockList();
for (const range of ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']) addRange(closedGlobal, range, 'ipv6');

function addRange(list: BlockList, range: string, family: 'ipv4' | 'ipv6'): void {
  const [address = '', bits] = range.split('/');
  list.addSubnet(address, Number(bits), family);
}

export const isPublicAddress = (address: string): boolean =>
  isIP(address) === 4
    ? !closed.check(address, 'ipv4')
    : isIP(address) === 6 && global.check(address, 'ipv6') && !closedGlobal.check(address, 'ipv6');

export type Resolve = (host: string) => Promise<readonly string[]>;

const resolveName: Resolve = async (host) => (await lookup(host, { all: true })).map(({ address }) => address);

/** Throws `PullFailed`. An unknown name and a private one get the same words, so that a tenant cannot probe the network. */
export async function requirePublicRegistry(registry: string, resolve: Resolve = resolveName): Promise<void> {
  const host = registry.replace(/:\d+$/, '');
  const addresses = await resolve(host).catch(() => []);
  if (addresses.length > 0 && addresses.every(isPublicAddress)) return;
  throw new PullFailed(
    'unavailable',
    `${registry} has no public address. Check the name; a registry in a private network has to be listed by the operator (api.allowedRegistries).`,
  );
}
