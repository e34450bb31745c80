/**
 * ClickHouse did not answer, or reported an error. Rows of a failed write may or may not be
 * stored; writing again is safe.
 */
export class UsageUnavailable extends Error {
  constructor(cause: unknown) {
    super('ClickHouse did not answer', { cause });
    this.name = 'UsageUnavailable';
  }
}
