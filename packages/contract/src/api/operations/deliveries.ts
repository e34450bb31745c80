// Callbacks of jobs and agents. Our own addition: the interface has no such operation.
import { member } from '../access.ts';
import { defineOperation } from '../operation.ts';
import { at } from '../path-params.ts';
import { DeliveryPage, DeliveryWithBody, deliveriesQuery } from '../schema/delivery.ts';
import { WorkspaceQuery } from '../schema/query.ts';

const tag = 'Callbacks';

export const listDeliveries = defineOperation({
  ...at('/deliveries'),
  id: 'listDeliveries',
  method: 'GET',
  tag,
  summary: 'List the callbacks of the workspace, newest first; they are kept for 30 days after their end',
  access: member('agents:get', 'jobs:get'),
  query: WorkspaceQuery.extend(deliveriesQuery),
  answer: DeliveryPage,
  isAddition: true,
});

export const getDelivery = defineOperation({
  ...at('/deliveries/{deliveryId}'),
  id: 'getDelivery',
  method: 'GET',
  tag,
  summary: 'Read one callback with its body',
  access: member('agents:get', 'jobs:get'),
  query: WorkspaceQuery,
  answer: DeliveryWithBody,
  isAddition: true,
});

export const replayDelivery = defineOperation({
  ...at('/deliveries/{deliveryId}/replay'),
  id: 'replayDelivery',
  method: 'POST',
  tag,
  summary: 'Send a callback that has ended again, under the same id and with all its tries',
  access: member('agents:update', 'jobs:update'),
  query: WorkspaceQuery,
  answer: DeliveryWithBody,
  audit: 'delivery.replay',
  isAddition: true,
});
