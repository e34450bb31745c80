import * as contract from '@berth/contract';
import { type Registration, read, write } from '../http/call.ts';
import { readDeliveries, readDelivery } from './read-deliveries.ts';
import { readInvocation, readInvocations } from './read-invocations.ts';
import { replayDelivery } from './replay-delivery.ts';

export const callHandlers: readonly Registration[] = [
  read(contract.listInvocations, readInvocations),
  read(contract.getInvocation, readInvocation),
  read(contract.listDeliveries, readDeliveries),
  read(contract.getDelivery, readDelivery),
  write(contract.replayDelivery, replayDelivery),
];
