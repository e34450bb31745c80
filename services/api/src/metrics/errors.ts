import { defineErrors } from '@berth/contract';

export const metricErrors = defineErrors({
  invalid_metrics_window: {
    status: 400,
    message: 'The window from {start} to {end} {fault}. Correct startTime, endTime or resolution and ask again.',
  },
  metrics_unavailable: {
    status: 503,
    message: 'This deployment keeps no usage. Ask its operator to set clickhouse.url (BERTH_CLICKHOUSE_URL).',
  },
  metrics_unreachable: {
    status: 503,
    message: 'Usage and cost cannot be reached right now; nothing is lost. Try again in a moment.',
  },
});
