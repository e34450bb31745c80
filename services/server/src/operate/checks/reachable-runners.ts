import { sql } from 'kysely';
import { withDatabase } from '../../with-database.ts';
import { readSettings } from '../install/read-settings.ts';
import { accepts } from '../machine/accepts.ts';
import type { Check } from './check.ts';

export const reachableRunners: Check = {
  name: 'reachable-runners',
  why: 'gateways carry requests to the ingress of each machine',
  when: 'running',
  needs: ['postgres', 'silent-runners'],
  async look({ places }) {
    const { postgres } = await readSettings(places);
    const { rows } = await withDatabase(postgres.url, (database) =>
      sql<{ name: string; address: string }>`select name, ingress_address as address from runners
        where status = 'up' and ingress_address is not null order by name`.execute(database),
    );
    const looks = await Promise.all(rows.map(async (row) => ((await accepts(`tcp://${row.address}`)) ? [] : [row])));
    const [first, ...others] = looks.flat();
    if (first === undefined) return undefined;
    const names = [first, ...others].map(({ name, address }) => `${name} (${address})`);
    return {
      what: `The ingress of these machines is not reached from here: ${names.join(', ')}.`,
      fix: `let this machine reach ${first.address} by TCP; where the address is wrong, on that machine: berth-server join --address ADDRESS`,
    };
  },
};
