// Egress IP: an address of a gateway for dedicated outbound traffic. Specification: Egress IP.
import { z } from 'zod';
import { readOnly } from '../schema/read-only.ts';
import { MetadataInput, Status, stamps, statuses } from '../schema/shared.ts';
import { defineKind, permissions, waitsFor } from './kind.ts';

export const egressIp = defineKind({
  kind: 'egressip',
  title: 'EgressIP',
  plural: 'EgressIPs',
  tag: 'Egress IPs',
  path: '/vpcs/{vpcName}/egressgateways/{gatewayName}/ips',
  param: 'ipName',
  parents: [
    { kind: 'vpc', param: 'vpcName' },
    { kind: 'egressgateway', param: 'gatewayName' },
  ],
  metadataInput: MetadataInput.pick({ name: true, displayName: true, labels: true }),
  metadata: z
    .object({
      name: z.string(),
      displayName: z.string().optional(),
      labels: z.record(z.string(), z.string()).optional(),
      gatewayName: readOnly(z.string().optional()),
      vpcName: readOnly(z.string().optional()),
      ...stamps,
    })
    .meta({ id: 'EgressIPMetadata' }),
  spec: z.object({ ipFamily: z.enum(['IPv4', 'IPv6']).optional() }),
  specReadOnly: { publicIp: z.string() },
  specDefaults: { ipFamily: 'IPv4' },
  status: Status,
  statuses,
  immutable: ['spec.ipFamily'],
  secrets: [],
  listing: { paged: false, filters: [] },
  permissions: permissions({ list: 'admin', create: 'admin', get: 'admin', delete: 'admin' }, 'admin'),
  quota: 'egress_ips',
  arrival: waitsFor('a runner that owns the address'),
});
