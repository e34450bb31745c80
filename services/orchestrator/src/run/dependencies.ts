import type { Database } from '@berth/database';
import type { LimitSettings, PlacementSettings, Region } from '@berth/instances';
import type { Logger } from '@berth/telemetry';
import type { Counters } from './counters.ts';

/** Operator settings for the number of instances of a workload. */
export interface ScalingSettings {
  readonly requestsPerInstance: number;
  readonly idleSeconds: number;
  /** Maximum for a workload that does not set its own. */
  readonly mostInstances: number;
}

/** Dependencies that all runs of a process share. */
export interface Dependencies extends PlacementSettings {
  readonly database: Database;
  readonly scaling: ScalingSettings;
  /** Limits of accounts. */
  readonly limits: LimitSettings;
  readonly regions: readonly Region[];
  /** Address at which tasks reach a gateway to read their arguments. */
  readonly gatewayUrl: string;
  /** Key that signs the addresses of task arguments. */
  readonly taskDataKey: () => Promise<Buffer>;
  readonly logger: Logger;
  /** W3C trace of the handler call that these are for. Instances that it places pass it on to their runner. */
  readonly traceparent?: string;
  readonly counters: Counters;
  /** Notifies the streams of a runner that its instances have changed. */
  readonly notifyRunner: (runnerId: string) => void;
  /** Notifies gateways that the routes of a resource have changed. */
  readonly notifyGateways: (resourceUid: string) => void;
  /** Notifies the loops that deliver callbacks that there is a new one. */
  readonly notifyDeliveries: () => void;
  /** From 0 to below 1. */
  readonly random: () => number;
}
