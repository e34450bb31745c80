// Output of workloads.
import type { FollowedLogEntry } from '../generated/management.ts';
import type { Operations } from '../generated/operations.ts';
import { isPassing } from '../http/errors.ts';
import { pause } from '../http/pause.ts';
import type { ManagementApi } from '../management-api.ts';

type Query = NonNullable<Operations['followLogs']['given']['query']>;

/** Which lines. */
export interface LogOptions {
  /** All that the key may read, where left out. */
  readonly resourceType?: Query['resourceType'];
  /** Names of workloads. */
  readonly workloads?: readonly string[] | undefined;
  /** For example `ERROR,FATAL`. */
  readonly severity?: string | undefined;
  /** Text that lines hold. */
  readonly search?: string | undefined;
  /** Number of last lines to begin with. */
  readonly tail?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Between two answers without a line that came at once. */
const idlePauseMs = 1_000;
/** Failures in a row, a second apart, each of them after the tries of one request. */
const maxFailures = 30;

/** What workloads write to their output. */
export class Logs {
  readonly #api: ManagementApi;

  constructor(api: ManagementApi) {
    this.#api = api;
  }

  /** The last lines, oldest first. */
  async tail(options: LogOptions & { readonly tail: number }): Promise<FollowedLogEntry[]> {
    const { signal } = options;
    return (await this.#api.request('followLogs', { query: queryOf(options), signal })).logs;
  }

  /** The last lines, then each line once as it is stored, without end. */
  async *follow(options: LogOptions = {}): AsyncGenerator<FollowedLogEntry> {
    const { signal } = options;
    let page = await this.#api.request('followLogs', { query: queryOf(options), signal });
    for (let failures = 0; ; ) {
      yield* page.logs;
      const query = { ...queryOf(options), tail: undefined, after: page.after };
      try {
        page = await this.#api.request('followLogs', { query, signal });
        failures = 0;
      } catch (error) {
        failures += 1;
        if (!isPassing(error) || failures > maxFailures) throw error;
        page = { logs: [], after: page.after };
      }
      if (page.logs.length === 0) await pause(idlePauseMs, signal);
    }
  }
}

const queryOf = ({ resourceType, workloads, severity, search, tail }: LogOptions): Query => ({
  ...{ resourceType, severity, search, tail },
  workloadIds: workloads?.join(','),
});
