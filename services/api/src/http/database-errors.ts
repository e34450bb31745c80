// Classifies PostgreSQL error codes.

const code = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';

/** Deadlock or serialization failure: the transaction was rolled back and may run again. */
export const isRetryable = (error: unknown): boolean => ['40001', '40P01'].includes(code(error));

const away = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  '57P01',
  '57P02',
  '57P03',
  '53300',
  '08006',
  '08003',
]);

/** The database cannot be reached or is shutting down. */
export const isUnavailable = (error: unknown): boolean =>
  away.has(code(error)) ||
  (error instanceof Error && /timeout exceeded when trying to connect|Connection terminated/.test(error.message));

/** Statement cancelled because it exceeded the statement timeout. */
export const isTooLong = (error: unknown): boolean => code(error) === '57014';

/** A row referenced by the new row was deleted after it was looked up: a race with its deletion, not a fault. */
export const isOwnerGone = (error: unknown): boolean =>
  code(error) === '23503' &&
  typeof error === 'object' &&
  error !== null &&
  'constraint' in error &&
  /_(workspace_id|resource_uid|execution_id|service_account_id)_fkey$/.test(String(error.constraint));
