// Allocates the lowest free address of a region's ranges. An advisory lock serializes writers of a range, and the
// primary key of `egress_addresses` refuses a duplicate in any case. A gap is found by comparing neighbouring
// addresses, so the cost does not depend on the size of the range.
import type { DatabaseTransaction } from '@berth/database';
import { sql } from 'kysely';
import { kindErrors } from '../rules/errors.ts';

interface AddressRequest {
  /** Ranges of the region, in the order of the config. */
  readonly pools: readonly string[];
  readonly family: 'IPv4' | 'IPv6';
  readonly region: string;
  readonly resourceUid: string;
}

const isIpv6 = (pool: string): boolean => pool.includes(':');

export async function allocateAddress(
  tx: DatabaseTransaction,
  { pools, family, region, resourceUid }: AddressRequest,
): Promise<string> {
  const usable = pools.filter((pool) => isIpv6(pool) === (family === 'IPv6'));
  if (usable.length === 0) throw kindErrors.no_egress_pool({ region, family });
  for (const pool of usable) {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`egress pool ${pool}`}, 0))`.execute(tx);
    const address = await takeLowest(tx, pool, resourceUid);
    if (address !== undefined) return address;
  }
  throw kindErrors.egress_pool_exhausted({ region, family });
}

/**
 * Candidates are the first usable address and the successor of every taken address; the lowest free one wins. In IPv4
 * the network and broadcast addresses are reserved, except in ranges too small to have them; in IPv6 the address with
 * all host bits zero is reserved.
 */
async function takeLowest(tx: DatabaseTransaction, pool: string, resourceUid: string): Promise<string | undefined> {
  const taken = await sql<{ address: string }>`
    with range as (
      select network(${pool}::inet) as pool,
        case when masklen(net) >= whole - 1 and family(net) = 4 or masklen(net) = whole then low else low + 1 end as first,
        case when masklen(net) >= whole - 1 or family(net) = 6 then high else high - 1 end as last
      from (
        select net, host(network(net))::inet as low, host(broadcast(net))::inet as high,
          case family(net) when 4 then 32 else 128 end as whole
        from (select ${pool}::inet as net) as given
      ) as bounds
    )
    insert into egress_addresses (address, pool, resource_uid)
    select candidate, range.pool, ${resourceUid}
    from range cross join lateral (
      select range.first as candidate
      union all
      select taken.address + 1 from egress_addresses taken
      where taken.address >= range.first and taken.address < range.last
    ) as candidates
    where not exists (select from egress_addresses taken where taken.address = candidate)
    order by candidate
    limit 1
    on conflict do nothing
    returning host(address) as address`.execute(tx);
  return taken.rows[0]?.address;
}
