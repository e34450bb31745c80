import { Histogram, Registry } from '@berth/telemetry';

/** Times a call to ClickHouse. */
export type Measure = <T>(work: () => Promise<T>) => Promise<T>;

export function createClickHouseMetrics(registry: Registry = new Registry()): Measure {
  const seconds = new Histogram({
    name: 'berth_clickhouse_seconds',
    help: 'Time of a call to ClickHouse, by result: done or failed.',
    labelNames: ['result'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30],
    registers: [registry],
  });
  for (const result of ['done', 'failed']) seconds.zero({ result });
  return async (work) => {
    const end = seconds.startTimer();
    try {
      const value = await work();
      end({ result: 'done' });
      return value;
    } catch (error) {
      end({ result: 'failed' });
      throw error;
    }
  };
}
