// Egress gateway: exit of dedicated outbound traffic in one region. Control-plane sheet 1.13, 2.14.
import { z } from 'zod';
import { readOnly } from '../schema/read-only.ts';
import { MetadataInput, Status, stamps, statuses } from '../schema/shared.ts';
import { RegionName } from '../schema/text.ts';
import { defineKind, permissions, readyAtOnce } from './kind.ts';

export const egressGateway = defineKind({
  kind: 'egressgateway',
  title: 'EgressGateway',
  plural: 'EgressGateways',
  tag: 'Egress gateways',
  path: '/vpcs/{vpcName}/egressgateways',
  param: 'gatewayName',
  parents: [{ kind: 'vpc', param: 'vpcName' }],
  metadataInput: MetadataInput.pick({ name: true, displayName: true }),
  metadata: z
    .object({
      name: z.string(),
      displayName: z.string().optional(),
      vpcName: readOnly(z.string().optional()),
      ...stamps,
    })
    .meta({ id: 'EgressGatewayMetadata' }),
  spec: z.object({ region: RegionName }),
  status: Status,
  statuses,
  immutable: ['spec.region'],
  secrets: [],
  listing: { paged: false, filters: [] },
  permissions: permissions({ list: 'admin', create: 'admin', get: 'admin', delete: 'admin' }, 'admin'),
  quota: 'egress_gateways',
  arrival: readyAtOnce,
});
