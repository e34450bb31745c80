// Views over all VPCs of the workspace, and the addresses that all workspaces share; control-plane sheet 1.13.
import { z } from 'zod';
import { member } from '../access.ts';
import { egressGateway } from '../kinds/egress-gateway.ts';
import { egressIp } from '../kinds/egress-ip.ts';
import { resourceSchema } from '../kinds/kind-operations.ts';
import { defineOperation } from '../operation.ts';
import { at } from '../path-params.ts';
import { PublicIps } from '../schema/platform.ts';
import { WorkspaceQuery } from '../schema/query.ts';

export const listAllEgressGateways = defineOperation({
  ...at('/egressgateways'),
  id: 'listAllEgressGateways',
  method: 'GET',
  tag: 'Egress gateways',
  summary: 'List the egress gateways of all VPCs',
  access: member('egressgateways:list'),
  query: WorkspaceQuery,
  answer: z.array(resourceSchema(egressGateway)),
});

export const getEgressGatewayUsage = defineOperation({
  ...at('/egressgateways/usage'),
  id: 'getEgressGatewayUsage',
  method: 'GET',
  tag: 'Egress gateways',
  summary: 'Name the sandboxes that ask for each gateway',
  access: member('egressgateways:list', 'sandboxes:list'),
  query: WorkspaceQuery,
  answer: z.record(z.string(), z.array(z.string())).meta({ id: 'EgressGatewayUsage' }),
});

export const listAllEgressIps = defineOperation({
  ...at('/egressips'),
  id: 'listAllEgressIps',
  method: 'GET',
  tag: 'Egress IPs',
  summary: 'List the egress IPs of all gateways',
  access: member('egressips:list'),
  query: WorkspaceQuery,
  answer: z.array(resourceSchema(egressIp)),
});

export const listPublicIps = defineOperation({
  ...at('/publicIps'),
  id: 'listPublicIps',
  method: 'GET',
  tag: 'Egress IPs',
  summary: 'List the shared outbound address ranges by region',
  access: member('admin'),
  query: WorkspaceQuery.extend({ region: z.string().max(63).optional() }),
  answer: PublicIps,
});
