// The collector is a stand-in: a server on loopback that counts what it receives.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createLogger } from '../logs/logger.ts';
import { exportSpans, type SpanExportOptions } from './export-spans.ts';
import type { Span } from './span.ts';
import { startTrace } from './traceparent.ts';

const logger = createLogger({ role: 'test' }, { level: 'silent' });

type Received = { readonly path: string | undefined; readonly key: unknown; readonly names: readonly string[] };

/** Answers with `status(n)` to the n-th request. */
async function startCollector(status: (request: number) => number | undefined = () => 200) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as ReturnType<typeof import('./otlp-json.ts').otlpRequest>;
    const spans = body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
    received.push({ path: request.url, key: request.headers['x-key'], names: spans.map(({ name }) => name) });
    const answer = status(received.length);
    if (answer !== undefined) response.writeHead(answer).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    received,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function startExport(url: string, more: Partial<SpanExportOptions> = {}) {
  const registry = new Registry();
  const spans = exportSpans({ url, resource: {}, registry, logger, everyMs: 5, ...more });
  const count = async (result: string): Promise<number> => {
    const metric = await registry.getSingleMetric('berth_spans_total')?.get();
    return metric?.values.find(({ labels }) => labels.result === result)?.value ?? 0;
  };
  return { spans, count };
}

const span = (name: string, sampled = true): Span => ({
  ...{ name, kind: 'server', trace: { ...startTrace(), sampled }, endedAt: Date.now(), durationMs: 1, fields: {} },
});

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error('It did not happen.');
    await sleep(5);
  }
}

test('spans arrive in order, at /v1/traces, with the headers of the setting', async () => {
  await using collector = await startCollector();
  const { spans, count } = startExport(`${collector.url}/`, { headers: { 'x-key': 'secret' } });
  for (const name of ['a', 'b', 'c']) spans.record(span(name));
  await spans.close();
  expect(collector.received.flatMap(({ names }) => names)).toEqual(['a', 'b', 'c']);
  expect(new Set(collector.received.map(({ path, key }) => `${path} ${key}`))).toEqual(new Set(['/v1/traces secret']));
  expect(await count('sent')).toBe(3);
});

test('a batch that met a busy collector is sent again, once', async () => {
  await using collector = await startCollector((request) => (request === 1 ? 503 : 200));
  const { spans, count } = startExport(collector.url);
  spans.record(span('a'));
  await until(async () => (await count('sent')) === 1);
  await spans.close();
  expect(collector.received.map(({ names }) => names)).toEqual([['a'], ['a']]);
});

test('a refused batch is counted and not repeated', async () => {
  await using collector = await startCollector((request) => (request === 1 ? 400 : 200));
  const { spans, count } = startExport(collector.url);
  spans.record(span('a'));
  await until(async () => (await count('refused')) === 1);
  spans.record(span('b'));
  await spans.close();
  expect(collector.received.map(({ names }) => names)).toEqual([['a'], ['b']]);
});

test('while the collector does not answer, at most maxWaiting spans are kept and the others are counted', async () => {
  await using collector = await startCollector(() => undefined);
  const { spans, count } = startExport(collector.url, { maxWaiting: 10 });
  for (let number = 0; number < 1_000; number += 1) spans.record(span(String(number)));
  expect(await count('dropped')).toBe(990);
  await until(() => collector.received.length > 0);
  expect(collector.received[0]?.names).toEqual(Array.from({ length: 10 }, (_, number) => String(number)));
  await collector[Symbol.asyncDispose]();
  await spans.close();
});

test('spans of a trace that its caller does not sample are not sent', async () => {
  await using collector = await startCollector();
  const { spans } = startExport(collector.url);
  spans.record(span('unsampled', false));
  spans.record(span('sampled'));
  await spans.close();
  expect(collector.received.flatMap(({ names }) => names)).toEqual(['sampled']);
});

test('every role chooses the same traces', async () => {
  await using collector = await startCollector();
  const all = Array.from({ length: 400 }, (_, number) => span(String(number)));
  const chosen: string[][] = [];
  for (const _role of ['gateway', 'api']) {
    const before = collector.received.length;
    const { spans } = startExport(collector.url, { ratio: 0.5 });
    for (const each of all) spans.record(each);
    await spans.close();
    chosen.push(collector.received.slice(before).flatMap(({ names }) => names));
  }
  expect(chosen[1]).toEqual(chosen[0]);
  expect(chosen[0]?.length).toBeGreaterThan(100);
  expect(chosen[0]?.length).toBeLessThan(300);
});
