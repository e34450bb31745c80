export { insertDelivery, type NewDelivery, notifyDeliveries, replayDelivery } from './deliveries.ts';
export { type PathTrigger, pathTriggersOf } from './path-triggers.ts';
export { callbackOf, type StoredTrigger, StoredTriggers } from './stored-triggers.ts';
export { writeTriggerPaths } from './write-trigger-paths.ts';
