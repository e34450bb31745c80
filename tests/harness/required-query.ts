/** As long as the ledger can have been written, and on. */
const window = { startTime: '2025-01-01T00:00:00Z', endTime: '2100-01-01T00:00:00Z' };

/** Query parameters that a request must have to be answered with 200, by the operation's id. */
export const requiredQuery: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  getAccountMetrics: window,
  listMetricsResourceTypes: window,
};
