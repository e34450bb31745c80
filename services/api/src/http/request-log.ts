// Writes one wide log event and one histogram observation per request.
import type { IncomingHttpHeaders } from 'node:http';
import type { ApiError } from '@berth/contract';
import {
  Counter,
  continueTrace,
  formatTraceparent,
  Histogram,
  type Logger,
  noSpans,
  type Registry,
  requestIdFrom,
  type SpanSink,
  type TraceContext,
} from '@berth/telemetry';
import type { FastifyReply, FastifyRequest } from 'fastify';

export interface RequestLog {
  requestId(headers: IncomingHttpHeaders): string;
  /** W3C trace context of the request, as it is passed on. */
  trace(request: FastifyRequest): string;
  answered(request: FastifyRequest, reply: FastifyReply): void;
  failed(request: FastifyRequest, error: ApiError): void;
  /** A limit refused a request. */
  refused(limit: string): void;
}

const one = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);

export function createRequestLog(logger: Logger, registry: Registry, spans: SpanSink = noSpans): RequestLog {
  const seconds = new Histogram({
    name: 'berth_api_request_seconds',
    help: 'Time from the first byte of a request to the last byte of its response.',
    labelNames: ['operation', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  const refusals = new Counter({
    name: 'berth_api_refusals_total',
    help: 'Requests refused by a limit: per key, per address, or for lookups of unknown keys.',
    labelNames: ['limit'],
    registers: [registry],
  });
  const traces = new WeakMap<FastifyRequest, TraceContext>();
  const failures = new WeakMap<FastifyRequest, unknown>();

  const traceOf = (request: FastifyRequest): TraceContext => {
    const known = traces.get(request);
    if (known !== undefined) return known;
    const made = continueTrace(one(request.headers.traceparent));
    traces.set(request, made);
    return made;
  };

  return {
    requestId: (headers) => requestIdFrom(one(headers['x-request-id'])),
    trace: (request) => formatTraceparent(traceOf(request)),
    failed: (request, error) => failures.set(request, error.cause ?? error),
    refused: (limit) => refusals.inc({ limit }),
    answered(request, reply) {
      const { operation, caller } = request.requestContext;
      const durationMs = Math.round(reply.elapsedTime * 1000) / 1000;
      const error = failures.get(request);
      seconds.observe({ operation: operation?.id ?? 'none', status: String(reply.statusCode) }, durationMs / 1000);
      const workspace =
        operation?.access.kind === 'workspace' || operation?.access.kind === 'workspaceInPath'
          ? caller?.workspace.name
          : undefined;
      const trace = traceOf(request);
      const fields = {
        event: 'request',
        requestId: request.id,
        trace: formatTraceparent(trace),
        operation: operation?.id,
        method: request.method,
        path: request.url.split('?', 1)[0],
        status: reply.statusCode,
        durationMs,
        ...(caller === undefined || operation?.access.kind === 'public' ? {} : { subject: caller.principal.subject }),
        ...(workspace === undefined ? {} : { workspace }),
        ...(error === undefined ? {} : { err: error }),
      };
      logger[error === undefined ? 'info' : 'error'](fields, 'request');
      const name = operation?.id ?? 'request';
      spans.record({ name, kind: 'server', trace, endedAt: Date.now(), durationMs, fields, error });
    },
  };
}
