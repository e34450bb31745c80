import { defineErrors } from '@berth/contract';

export const logErrors = defineErrors({
  invalid_log_window: {
    status: 400,
    message: 'The window from {start} to {end} {fault}. Correct start, end or interval and ask again.',
  },
  logs_unavailable: {
    status: 503,
    message: 'This deployment keeps no logs. Ask its operator to set clickhouse.url (BERTH_CLICKHOUSE_URL).',
  },
  logs_unreachable: {
    status: 503,
    message: 'The logs cannot be reached right now; nothing is lost. Try again in a moment.',
  },
});
