import type { Dashboard } from '../dashboard.ts';
import { gauge, quantiles, rareRate, rate } from '../queries.ts';

export const gateway: Dashboard = {
  name: 'gateway',
  title: 'Berth: gateway',
  panels: [
    {
      title: 'Requests, by kind and status',
      unit: 'reqps',
      queries: [rate('berth_gateway_request_seconds_count', 'kind, status')],
    },
    {
      title: 'Requests under way',
      unit: 'short',
      queries: [gauge('sum by (instance) (berth_gateway_requests_in_flight)', 'instance')],
    },
    {
      title: 'Time until the first byte',
      unit: 's',
      queries: quantiles('berth_gateway_first_byte_seconds', 'kind'),
    },
    { title: 'Time until the last byte', unit: 's', queries: quantiles('berth_gateway_request_seconds', 'kind') },
    { title: 'Bytes', unit: 'Bps', queries: [rate('berth_gateway_bytes_total', 'kind, direction')] },
    {
      title: 'Waiting for an instance: requests that met none',
      unit: 's',
      queries: quantiles('berth_gateway_held_seconds', 'kind'),
    },
    {
      title: 'Time to connect to a sandbox, with its wake',
      unit: 's',
      queries: quantiles('berth_gateway_sandbox_open_seconds', 'result'),
    },
    {
      title: 'Connections to instances, and repeated requests',
      unit: 'short',
      queries: [
        { ...gauge('sum(berth_gateway_upstream_connections)', ''), legend: 'connections' },
        { ...rate('berth_gateway_upstream_retries_total'), legend: 'repeated a second' },
      ],
    },
    {
      title: 'Requests that a limit refused',
      unit: 'reqps',
      queries: [rareRate('berth_gateway_refusals_total', 'limit')],
    },
    {
      title: 'Runs of asynchronous calls, by result',
      unit: 'ops',
      queries: [rate('berth_gateway_calls_total', 'result')],
    },
    {
      title: 'Time for which due runs of asynchronous calls waited',
      unit: 's',
      queries: quantiles('berth_gateway_call_wait_seconds'),
    },
    {
      title: 'Tokens of models',
      unit: 'ops',
      queries: [rareRate('berth_gateway_model_tokens_total', 'provider, direction')],
    },
  ],
};
