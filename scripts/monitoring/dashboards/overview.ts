import type { Dashboard } from '../dashboard.ts';
import { gauge, quantiles, rareRate, rate } from '../queries.ts';

export const overview: Dashboard = {
  name: 'overview',
  title: 'Berth: overview',
  panels: [
    { title: 'Processes that answer', unit: 'short', queries: [gauge('sum by (job) (up{job=~"berth-.+"})', 'job')] },
    {
      title: 'What roles need: 1 answers, 0 does not',
      unit: 'short',
      queries: [gauge('min by (role, check) (berth_ready)', 'role, check')],
    },
    {
      title: 'Requests to workloads, by kind and status',
      unit: 'reqps',
      queries: [rate('berth_gateway_request_seconds_count', 'kind, status')],
    },
    {
      title: 'Time of requests to workloads',
      unit: 's',
      queries: quantiles('berth_gateway_request_seconds', 'kind'),
    },
    {
      title: 'Requests to the api, by status',
      unit: 'reqps',
      queries: [rate('berth_api_request_seconds_count', 'status')],
    },
    { title: 'Time of requests to the api', unit: 's', queries: quantiles('berth_api_request_seconds') },
    { title: 'Runners', unit: 'short', queries: [gauge('max by (status) (berth_runners)', 'status')] },
    {
      title: 'Instances, by state',
      unit: 'short',
      queries: [gauge('sum by (state) (berth_runner_instances)', 'state')],
    },
    {
      title: 'Instances placed, retired and not placed',
      unit: 'ops',
      queries: [
        { ...rate('berth_instances_placed_total'), legend: 'placed' },
        { ...rate('berth_instances_retired_total'), legend: 'retired' },
        { ...rate('berth_instances_unplaced_total'), legend: 'not placed' },
      ],
    },
    {
      title: 'Time from placement to ready, by stage',
      unit: 's',
      queries: quantiles('berth_instance_start_seconds', 'stage'),
    },
    {
      title: 'Requests that a limit of the api refused',
      unit: 'reqps',
      queries: [rareRate('berth_api_refusals_total', 'limit')],
    },
    {
      title: 'Days until certificates end',
      unit: 'short',
      queries: [gauge('min by (role, certificate) (berth_certificate_days_left)', 'role, certificate')],
    },
  ],
};
