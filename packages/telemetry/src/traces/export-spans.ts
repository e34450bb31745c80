// Sends finished spans to a collector, as OTLP over HTTP in JSON. A request only appends to a list in memory: batches leave
// beside it, and spans beyond the bound of the list are dropped and counted.
import { backoffMs, Notifier, pause } from '@berth/concurrency';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Logger } from '../logs/logger.ts';
import { otlpRequest, type Resource } from './otlp-json.ts';
import type { Span, SpanSink } from './span.ts';
import type { TraceContext } from './traceparent.ts';

export type SpanExportOptions = {
  /** Address of the collector, without `/v1/traces`. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Share of the traces that are sent, from 0 to 1. All roles choose the same traces. */
  readonly ratio?: number;
  readonly resource: Resource;
  readonly registry: Registry;
  readonly logger: Logger;
  /** Spans in memory that wait for the collector. */
  readonly maxWaiting?: number;
  readonly everyMs?: number;
};

export type SpanExport = SpanSink & {
  /** Sends what waits, within a few seconds; the rest is dropped. */
  close(): Promise<void>;
};

const maxBatch = 512;
const answerMs = 10_000;
const closeMs = 3_000;
const retryMs = { first: 500, max: 30_000 };
/** The collector is busy or away. After any other status it would refuse the same spans again. */
const passing: ReadonlySet<number> = new Set([429, 502, 503, 504]);

class Refused extends Error {}

export function exportSpans(options: SpanExportOptions): SpanExport {
  const { ratio = 1, resource, logger, maxWaiting = 8_192, everyMs = 1_000 } = options;
  const address = `${options.url.replace(/\/+$/, '')}/v1/traces`;
  const headers = { 'content-type': 'application/json', ...options.headers };
  const waiting: Span[] = [];
  const notifier = new Notifier();
  const closing = new AbortController();
  const count = createMetrics(options.registry, () => waiting.length);

  async function post(spans: readonly Span[], maxMs: number): Promise<void> {
    const body = JSON.stringify(otlpRequest(resource, spans));
    const signal = AbortSignal.timeout(Math.ceil(maxMs));
    const response = await fetch(address, { method: 'POST', headers, body, signal, redirect: 'error' });
    await response.body?.cancel();
    if (response.ok) return;
    const message = `The collector answered ${response.status}.`;
    throw passing.has(response.status) ? new Error(message) : new Refused(message);
  }

  /** The batch stays in the list until it is sent, so that the bound holds while the collector is slow. */
  async function sendBatch(maxMs = answerMs): Promise<void> {
    const batch = waiting.slice(0, maxBatch);
    try {
      await post(batch, maxMs);
      count('sent', batch.length);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      count('refused', batch.length);
      logger.warn({ err: error, event: 'spans.refused' }, 'spans refused; check telemetry.otlp and the collector');
    }
    waiting.splice(0, batch.length);
  }

  async function run(): Promise<void> {
    let failures = 0;
    while (!closing.signal.aborted) {
      if (waiting.length < maxBatch) await notifier.wait(everyMs, closing.signal);
      if (waiting.length === 0 || closing.signal.aborted) continue;
      try {
        await sendBatch();
        failures = 0;
      } catch (err) {
        failures += 1;
        if (failures === 1)
          logger.warn({ err, event: 'spans.failed' }, 'spans could not be sent; they wait, and the oldest are kept');
        await pause(backoffMs(failures, retryMs.first, retryMs.max, Math.random), closing.signal);
      }
    }
  }

  const running = run();
  return {
    record(span) {
      if (!isChosen(span.trace, ratio) || closing.signal.aborted) return;
      if (waiting.length >= maxWaiting) return count('dropped', 1);
      waiting.push(span);
      if (waiting.length === maxBatch) notifier.notify();
    },
    async close() {
      closing.abort();
      const until = performance.now() + closeMs;
      await Promise.race([running, pause(closeMs)]);
      try {
        while (waiting.length > 0 && performance.now() < until) await sendBatch(until - performance.now());
      } catch {
        // The collector is away, and the process ends.
      }
      count('dropped', waiting.length);
    },
  };
}

/** A caller that does not sample a trace has no use for its spans. The share is taken from the trace id, as other tracers do. */
function isChosen({ traceId, sampled }: TraceContext, ratio: number): boolean {
  return sampled && (ratio >= 1 || Number.parseInt(traceId.slice(-8), 16) / 2 ** 32 < ratio);
}

function createMetrics(registry: Registry, waiting: () => number) {
  const spans = new Counter({
    name: 'berth_spans_total',
    help: 'Spans for the collector: sent, refused by it, or dropped because too many waited.',
    labelNames: ['result'],
    registers: [registry],
  });
  for (const result of ['sent', 'refused', 'dropped']) spans.inc({ result }, 0);
  new Gauge({
    name: 'berth_spans_waiting',
    help: 'Spans that wait to be sent to the collector.',
    registers: [registry],
    collect() {
      this.set(waiting());
    },
  });
  return (result: 'sent' | 'refused' | 'dropped', number: number): void => spans.inc({ result }, number);
}
