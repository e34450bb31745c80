// Stands in for an OpenTelemetry collector, which no registry has: it keeps what it is sent.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

const Attribute = z.object({ key: z.string(), value: z.record(z.string(), z.unknown()) });
const Request = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: z.array(Attribute) }),
      scopeSpans: z.array(
        z.object({
          spans: z.array(
            z.object({
              ...{ traceId: z.string(), spanId: z.string(), parentSpanId: z.string().optional(), name: z.string() },
              ...{ startTimeUnixNano: z.string(), endTimeUnixNano: z.string() },
              attributes: z.array(Attribute),
            }),
          ),
        }),
      ),
    }),
  ),
});

export interface ReceivedSpan {
  readonly service: unknown;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface SpanCollector extends AsyncDisposable {
  readonly port: number;
  /** Requests as they were sent. */
  readonly requests: readonly string[];
  /** While it is set, requests are read and not answered. */
  isDeaf: boolean;
  /** Requests that wait for an answer. */
  readonly unanswered: number;
  spans(): readonly ReceivedSpan[];
}

/** Listens on every address, so that roles inside the network of a machine reach it. */
export async function startSpanCollector(): Promise<SpanCollector> {
  const requests: string[] = [];
  let unanswered = 0;
  const server = createServer(async (request, response) => {
    const body = await text(request);
    if (collector.isDeaf) {
      unanswered += 1;
      response.once('close', () => {
        unanswered -= 1;
      });
      return;
    }
    requests.push(body);
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const collector: SpanCollector = {
    isDeaf: false,
    get unanswered() {
      return unanswered;
    },
    port: (server.address() as AddressInfo).port,
    requests,
    spans: () => requests.flatMap((request) => spansOf(Request.parse(JSON.parse(request)))),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return collector;
}

const spansOf = ({ resourceSpans }: z.infer<typeof Request>): ReceivedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap((scope) => scope.spans)
      .map(({ startTimeUnixNano, endTimeUnixNano, attributes, parentSpanId, ...span }) => ({
        ...span,
        parentSpanId,
        service: valuesOf(resource.attributes)['service.name'],
        startNs: BigInt(startTimeUnixNano),
        endNs: BigInt(endTimeUnixNano),
        attributes: valuesOf(attributes),
      })),
  );

const valuesOf = (attributes: readonly z.infer<typeof Attribute>[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
