import { Counter, type Registry } from '@berth/telemetry';

export interface Counters {
  readonly placed: Counter;
  readonly retired: Counter;
  readonly unplaced: Counter;
}

export function createCounters(registry: Registry): Counters {
  const counter = (name: string, help: string) => new Counter({ name, help, registers: [registry] });
  return {
    placed: counter('berth_instances_placed_total', 'Instances placed on a runner.'),
    retired: counter('berth_instances_retired_total', 'Instances that their runner was told to remove.'),
    unplaced: counter('berth_instances_unplaced_total', 'Reconciles in which a wanted instance could not be placed.'),
  };
}
