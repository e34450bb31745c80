/** ClickHouse did not answer, or not as asked. What was written may or may not be there: it may be sent again. */
export class UsageUnavailable extends Error {
  constructor(cause: unknown) {
    super('ClickHouse did not answer', { cause });
    this.name = 'UsageUnavailable';
  }
}
