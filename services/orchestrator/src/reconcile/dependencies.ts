import type { Database } from '@berth/database';
import type { LimitSettings, Region, Settings } from '@berth/placement';
import type { Logger } from '@berth/telemetry';
import type { Counters } from './counters.ts';

/** How many instances a workload has. */
export interface ScalingSettings {
  readonly requestsPerInstance: number;
  readonly idleSeconds: number;
  /** Of a workload that does not say how many it may have. */
  readonly mostInstances: number;
}

/** What all runs of a process share. */
export interface Dependencies extends Settings {
  readonly database: Database;
  readonly scaling: ScalingSettings;
  /** What accounts may hold at most. */
  readonly limits: LimitSettings;
  readonly regions: readonly Region[];
  readonly logger: Logger;
  readonly counters: Counters;
  /** Tells the streams of a runner that its instances have changed. */
  readonly ringInstances: (runnerId: string) => void;
  /** Tells gateways that a resource's requests go elsewhere. */
  readonly ringRoutes: (resourceUid: string) => void;
  /** From 0 to below 1. */
  readonly random: () => number;
}
