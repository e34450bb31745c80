import { defineErrors } from '@berth/contract';

export const requestMetricErrors = defineErrors({
  request_metrics_unavailable: {
    status: 503,
    message:
      'This deployment keeps no metrics of requests. Ask its operator to set clickhouse.url (BERTH_CLICKHOUSE_URL).',
  },
  request_metrics_unreachable: {
    status: 503,
    message: 'The metrics of requests cannot be reached right now. Try again in a moment.',
  },
});
