// Egress IP. Specification: Egress IP. The address is reserved with the row and shown once a runner holds it.

import { egressIp } from '@berth/contract';
import type { KindRules } from '../resources/rules.ts';
import { lockParent } from '../rules/references.ts';
import { textOf } from '../rules/spec-fields.ts';
import { allocateAddress } from './allocate-address.ts';

export const egressIpRules: KindRules = {
  kind: egressIp,
  beforeCreate: lockParent,
  async afterCreate({ tx, dependencies, parents }, row) {
    const region = textOf(parents.at(-1)?.spec.region) ?? '';
    const family = row.spec.ipFamily === 'IPv6' ? 'IPv6' : 'IPv4';
    const pools = dependencies.config.regions.find(({ name }) => name === region)?.egressPools ?? [];
    await allocateAddress(tx, { pools, family, region, resourceUid: row.uid });
    return row;
  },
  render: {
    one: (rendered, _row, { parents: [vpc, gateway] }) => ({
      ...rendered,
      metadata: { ...rendered.metadata, vpcName: vpc?.name, gatewayName: gateway?.name },
    }),
  },
};
