import type { Dashboard } from '../dashboard.ts';
import { gauge, quantiles, rareRate, rate } from '../queries.ts';

export const machines: Dashboard = {
  name: 'machines',
  title: 'Berth: machines',
  panels: [
    {
      title: 'Silence of runners',
      unit: 's',
      queries: [gauge('max by (runner, region) (berth_runner_silent_seconds)', 'runner, region')],
    },
    {
      title: 'Instances, by state',
      unit: 'short',
      queries: [gauge('sum by (instance, state) (berth_runner_instances)', 'instance, state')],
    },
    {
      title: 'Sandboxes with an owner',
      unit: 'short',
      queries: [gauge('sum by (instance, state) (berth_runner_sandboxes)', 'instance, state')],
    },
    {
      title: 'Memory or disk is short: 1',
      unit: 'short',
      queries: [gauge('max by (instance, of) (berth_runner_pressed)', 'instance, of')],
    },
    {
      title: 'Free disk',
      unit: 'percent',
      queries: [gauge('min by (instance) (berth_runner_disk_free_percent)', 'instance')],
    },
    {
      title: 'Disk alarm, and instances that were ended for their writes',
      unit: 'short',
      queries: [
        { expr: 'max by (instance) (berth_runner_disk_alarm)', legend: 'alarm {{instance}}' },
        { expr: 'sum by (instance) (increase(berth_runner_disk_ended_total[5m]))', legend: 'ended {{instance}}' },
      ],
    },
    {
      title: 'Time to bring an instance up',
      unit: 's',
      queries: quantiles('berth_runner_bring_up_seconds', 'instance'),
    },
    {
      title: 'Wakes of sandboxes, by outcome',
      unit: 'ops',
      queries: [rareRate('berth_runner_wakes_total', 'instance, outcome')],
    },
    { title: 'Tunnels, by answer', unit: 'ops', queries: [rate('berth_runner_tunnels_total', 'instance, answer')] },
    {
      title: 'Tunnels and leases that are open',
      unit: 'short',
      queries: [gauge('sum by (instance, kind) (berth_runner_ingress_connections)', 'instance, kind')],
    },
    {
      title: 'Lines of output sent, and bytes dropped',
      unit: 'ops',
      queries: [
        { expr: 'sum by (instance) (rate(berth_runner_log_lines_sent_total[5m]))', legend: 'lines {{instance}}' },
        { expr: 'sum by (instance) (rate(berth_runner_log_bytes_dropped_total[5m]))', legend: 'dropped {{instance}}' },
      ],
    },
    {
      title: 'Usage that the api has not stored, and intervals sent',
      unit: 'short',
      queries: [
        gauge('max by (instance) (berth_runner_usage_intervals_unacknowledged)', 'instance'),
        { expr: 'sum by (instance) (rate(berth_runner_usage_intervals_sent_total[5m]))', legend: 'sent {{instance}}' },
      ],
    },
  ],
};
