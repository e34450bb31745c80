import { Counter, Gauge, Histogram, type Registry } from '@berth/telemetry';
import type { RefusingLimit } from '../errors/gateway-error.ts';
import type { Outcome } from '../proxy/outcome.ts';

export interface RequestMetrics {
  /** Counts a request as under way; `observe` has to follow once, at its end. */
  begin(): void;
  /** Status 0 means that the client left before there was a response. */
  observe(kind: string | undefined, status: number, outcome: Outcome | undefined): void;
  /** Records how long a request waited for an instance. */
  held(kind: string, ms: number): void;
  /** Counts a request that a limit refused. */
  refused(limit: RefusingLimit): void;
}

/** Labels are by kind, not by workload: tenants can create any number of names, and the log has them. */
export function createRequestMetrics(registry: Registry): RequestMetrics {
  const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 900];
  const labelNames = ['kind', 'status'];
  const seconds = new Histogram({
    name: 'berth_gateway_request_seconds',
    help: 'Time from the head of a request to the last byte of its response.',
    ...{ labelNames, buckets, registers: [registry] },
  });
  const firstByte = new Histogram({
    name: 'berth_gateway_first_byte_seconds',
    help: "Time from the head of a request to the head of its workload's response.",
    ...{ labelNames, buckets, registers: [registry] },
  });
  const passed = new Map<string, { in: number; out: number }>();
  new Counter({
    name: 'berth_gateway_bytes_total',
    help: 'Bytes of request and response bodies, by direction.',
    labelNames: ['kind', 'direction'],
    registers: [registry],
    // Sums are kept here and added on collection: the counter would look up its labels for every request.
    collect() {
      for (const [kind, bytes] of passed) {
        this.inc({ kind, direction: 'in' }, bytes.in);
        this.inc({ kind, direction: 'out' }, bytes.out);
      }
      passed.clear();
    },
  });
  const waits = new Histogram({
    name: 'berth_gateway_held_seconds',
    help: 'Time that requests without a ready instance waited for one: cold starts as seen by clients.',
    ...{ labelNames: ['kind'], buckets, registers: [registry] },
  });
  const underWay = new Gauge({
    name: 'berth_gateway_requests_in_flight',
    help: 'Requests that have been read and not fully answered.',
    registers: [registry],
  });

  const refusals = new Counter({
    name: 'berth_gateway_refusals_total',
    help: 'Requests refused by a limit: per key, per address, on lookups of unknown keys, hosts and tokens, on starts by triggers, on asynchronous calls, or of models: tokens, budgets and bodies in memory.',
    labelNames: ['limit'],
    registers: [registry],
  });

  const children = new Map<string, Children>();
  function childrenOf(kind: string, status: number): Children {
    const key = `${kind} ${status}`;
    const known = children.get(key);
    if (known !== undefined) return known;
    const labels = { kind, status: String(status) };
    const made = { seconds: seconds.labels(labels), firstByte: firstByte.labels(labels) };
    children.set(key, made);
    return made;
  }

  function count(kind: string, { bytesIn, bytesOut }: Outcome): void {
    const bytes = passed.get(kind);
    if (bytes === undefined) {
      passed.set(kind, { in: bytesIn, out: bytesOut });
      return;
    }
    bytes.in += bytesIn;
    bytes.out += bytesOut;
  }

  return {
    begin: () => underWay.inc(),
    refused: (limit) => refusals.inc({ limit }),
    held: (kind, ms) => waits.observe({ kind }, ms / 1_000),
    observe(kind = 'none', status, outcome) {
      underWay.dec();
      const child = childrenOf(kind, status);
      if (outcome === undefined) return void child.seconds.observe(0);
      child.seconds.observe(outcome.durationMs / 1_000);
      if (outcome.firstByteMs !== undefined) child.firstByte.observe(outcome.firstByteMs / 1_000);
      count(kind, outcome);
    },
  };
}

/** Metrics of one set of labels. */
interface Children {
  readonly seconds: Histogram.Internal<string>;
  readonly firstByte: Histogram.Internal<string>;
}
