import { collectDefaultMetrics, Registry } from 'prom-client';

/** A registry per role, with the process's own numbers (memory, event loop, open files) already in it. */
export function createMetricsRegistry(labels: Readonly<Record<string, string>>): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ ...labels });
  collectDefaultMetrics({ register: registry });
  return registry;
}
