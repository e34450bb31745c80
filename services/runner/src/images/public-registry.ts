// The engine calls registries from the machine's own network, past the rules for instances. A registry that a tenant
// names must therefore be on the internet. The engine resolves the name again, so this does not stop a name whose
// answers change in between, nor a registry that redirects the engine to another address (docs/operations/runners.md).
import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { PullFailed } from '../driver/driver.ts';
import { closedRanges } from '../network/rules/ruleset.ts';

const closed = new BlockList();
for (const range of closedRanges) addRange(closed, range, 'ipv4');

const global = new BlockList();
addRange(global, '2000::/3', 'ipv6');
/** Exceptions inside the global range: protocol and documentation addresses, and embedded IPv4 addresses. */
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

/** Throws `PullFailed`. Unknown and private names get the same message, so that a tenant cannot probe the network. */
export async function requirePublicRegistry(registry: string, resolve: Resolve = resolveName): Promise<void> {
  const host = registry.replace(/:\d+$/, '');
  const addresses = await resolve(host).catch(() => []);
  if (addresses.length > 0 && addresses.every(isPublicAddress)) return;
  throw new PullFailed(
    'unavailable',
    `${registry} has no public address. Check the name; a registry in a private network has to be listed by the operator (api.allowedRegistries).`,
  );
}
