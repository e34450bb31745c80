import type { Dashboard } from '../dashboard.ts';
import { gauge, quantiles, rate } from '../queries.ts';

export const engines: Dashboard = {
  name: 'engines',
  title: 'Berth: engines',
  panels: [
    {
      title: 'Outbox: age of what cannot be sent',
      unit: 's',
      queries: [gauge('max by (instance) (berth_outbox_oldest_seconds)', 'instance')],
    },
    { title: 'Outbox: time until Restate has a change', unit: 's', queries: quantiles('berth_outbox_wait_seconds') },
    {
      title: 'Runs of handlers, by result',
      unit: 'ops',
      queries: [rate('berth_handler_seconds_count', 'handler, result')],
    },
    {
      title: 'Time of a run of a handler',
      unit: 's',
      queries: quantiles('berth_handler_seconds', 'handler', '{result="done"}'),
    },
    {
      title: 'Calls to ClickHouse, by result',
      unit: 'ops',
      queries: [rate('berth_clickhouse_seconds_count', 'role, result')],
    },
    {
      title: 'Time of calls to ClickHouse',
      unit: 's',
      queries: quantiles('berth_clickhouse_seconds', 'role', '{result="done"}'),
    },
    {
      title: 'Usage: age of the oldest hour that is not closed, and faults',
      unit: 's',
      queries: [
        { expr: 'max(berth_usage_oldest_open_hour_seconds)', legend: 'oldest open hour' },
        { expr: 'max(berth_usage_faults)', legend: 'faults' },
      ],
    },
    {
      title: 'Spans, by result, and waiting',
      unit: 'ops',
      queries: [
        rate('berth_spans_total', 'role, result'),
        { expr: 'sum by (role) (berth_spans_waiting)', legend: 'waiting {{role}}' },
      ],
    },
    { title: 'Cores in use', unit: 'short', queries: [rate('process_cpu_seconds_total', 'role, instance')] },
    {
      title: 'Memory of processes',
      unit: 'bytes',
      queries: [gauge('max by (role, instance) (process_resident_memory_bytes)', 'role, instance')],
    },
    {
      title: 'Delay of the event loop, p99',
      unit: 's',
      queries: [gauge('max by (role, instance) (nodejs_eventloop_lag_p99_seconds)', 'role, instance')],
    },
    {
      title: 'Open files',
      unit: 'short',
      queries: [gauge('max by (role, instance) (process_open_fds)', 'role, instance')],
    },
  ],
};
