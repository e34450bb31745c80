/** As long as the ledger can have been written, and on. */
const window = { startTime: '2025-01-01T00:00:00Z', endTime: '2100-01-01T00:00:00Z' };

/** Query parameters that a request must have to be answered with 200, and with something, by the operation's id. */
export const requiredQuery: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  followLogs: { tail: '1000', wait: '0' },
  getAccountMetrics: window,
  listMetricsResourceTypes: window,
};
