// VPC: the network that gateways and sandboxes belong to. Control-plane sheet 1.13, 2.14.
import { z } from 'zod';
import { Metadata, MetadataInput, Status, statuses } from '../schema/shared.ts';
import { defineKind, permissions, readyAtOnce } from './kind.ts';

export const vpc = defineKind({
  kind: 'vpc',
  title: 'VPC',
  plural: 'VPCs',
  tag: 'VPCs',
  path: '/vpcs',
  param: 'vpcName',
  metadataInput: MetadataInput,
  metadata: Metadata,
  spec: z.object({}),
  status: Status,
  statuses,
  immutable: [],
  secrets: [],
  listing: { paged: false, filters: [] },
  permissions: permissions({ list: 'admin', create: 'admin', get: 'admin', delete: 'admin' }, 'admin'),
  quota: 'vpcs',
  arrival: readyAtOnce,
});
