// Every operation of the contract gets requests made from its own schemas, valid and mutated. No answer is a server
// error or late, each matches the contract, and afterwards the server still answers and the counters equal the rows.
// BERTH_FUZZ_REQUESTS sets the number of requests, BERTH_TEST_SEED repeats a run.
import { type Operation, operations } from '@berth/contract';
import { environment } from '@berth/telemetry';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { removeDeleted } from '../../../services/orchestrator/test/remove-deleted.ts';
import { checkAnswer } from '../../harness/check-answer.ts';
import { conformanceBrand } from '../../harness/conformance-brand.ts';
import { wrongCounters } from '../../harness/counters.ts';
import { isFull, seed } from '../../harness/size.ts';
import { addStatement, createEverything, tenantRegions } from '../../harness/tenant.ts';
import { startTestApi } from '../../harness/test-api.ts';
import { harvested } from './address.ts';
import { type FuzzRequest, requestOf } from './request-of.ts';
import { createSender, type FuzzAnswer } from './send.ts';

const total = Number(environment.BERTH_FUZZ_REQUESTS ?? (isFull ? 20_000 : 2_000));
const concurrency = 16;
const timeoutMs = 10_000;
const shownFailures = 10;
/**
 * Requests per operation and round. More creations than deletions, so that there is something to read and to change.
 */
const perRound = { GET: 7, POST: 12, PUT: 10, DELETE: 3 } as const;
const maxMinutes = Math.max(10, total / 5_000);

const byId = new Map(operations.map((operation) => [operation.id, operation]));
const patterns = operations.map((operation) => {
  const path = (operation.base === 'api_url' ? '' : '/v0') + operation.path.replaceAll('.', '\\.');
  return { operation, pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]*')}$`) };
});

/** Operations that may have answered. A mutated path may match another operation, or none: then a general error. */
function candidates({ operation, method, path }: FuzzRequest): (Operation | undefined)[] {
  const asked = path.split('?', 1)[0] ?? '';
  const others = patterns.filter((one) => one.operation.method === method && one.pattern.test(asked));
  return [byId.get(operation), ...others.map((one) => one.operation), undefined];
}

const isCsv = (request: FuzzRequest, status: number, type: unknown): boolean =>
  status === 200 &&
  type === 'text/csv; charset=utf-8' &&
  candidates(request).some((operation) => operation?.answersCsv === true);

function problemWith(request: FuzzRequest, { status, headers, text }: FuzzAnswer): string | undefined {
  if (status >= 500) return 'an error of the server';
  if (headers['x-request-id'] === undefined) return 'no request id';
  if (isCsv(request, status, headers['content-type'])) return undefined;
  if (text !== '' && !/^application\/json\b/.test(String(headers['content-type']))) return 'an answer that is not JSON';
  let problem: string | undefined;
  const body: unknown = text === '' ? undefined : JSON.parse(text);
  for (const operation of candidates(request)) {
    try {
      checkAnswer(operation, status, body);
      return undefined;
    } catch (error) {
      problem ??= error instanceof Error ? error.message : String(error);
    }
  }
  return problem;
}

const shown = ({ body, ...request }: FuzzRequest): string =>
  JSON.stringify({ ...request, body: body?.toString('latin1').slice(0, 1500), bodyBytes: body?.length }, null, 1);

test(
  `${total} requests made from the contract and bent never break the server`,
  async () => {
    await using api = await startTestApi({
      config: { regions: tenantRegions, dnsServers: ['127.0.0.1:1'] },
      clickhouse: 'own',
    });
    const member = await api.user({ memberOf: api.workspace });
    const template = (await api.admin.get('/templates')).body[0];
    const params: Record<string, string> = {
      ...(await createEverything(api.admin, 'base')),
      accountId: api.accountId,
      month: await addStatement(api, api),
      templateName: template.name,
      integrationName: 'openai',
      featureKey: 'any',
    };
    const setting = {
      brand: conformanceBrand(),
      workspace: api.workspace,
      keys: { admin: api.adminKey, member: member.key },
      params,
    };
    const draws = operations.map((operation) => ({
      arbitrary: requestOf(operation, setting),
      numRuns: perRound[operation.method],
    }));
    const sender = createSender(api.url, { connections: concurrency, timeoutMs });
    const known = new Map<string, string>(harvested.map((name) => [name, params[name] ?? '']));
    const statuses = new Map<number, number>();
    const reached = new Set<string>();
    const failures: string[] = [];
    const deadline = performance.now() + maxMinutes * 60_000;
    let made = 0;
    let late = 0;

    const one = async (drawn: FuzzRequest): Promise<void> => {
      const request = {
        ...drawn,
        path: drawn.path.replace(/\{\{(\w+)\}\}/g, (_, name: string) => known.get(name) ?? ''),
      };
      const startedAt = performance.now();
      try {
        const answer = await sender.send(request);
        late = Math.max(late, performance.now() - startedAt);
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        if (answer.status === 200) {
          reached.add(request.operation);
          harvest(known, request.operation, answer.text);
        }
        const problem = problemWith(request, answer);
        if (problem !== undefined)
          failures.push(`${problem}\n${shown(request)}\nanswer ${answer.status}: ${answer.text.slice(0, 1500)}`);
      } catch (error) {
        failures.push(`${error instanceof Error ? error.message : error}\n${shown(request)}`);
      }
    };

    const nextRound = function* (): Generator<FuzzRequest> {
      for (let round = 0; made < total; round += 1) {
        const drawn = draws.flatMap(({ arbitrary, numRuns }, index) =>
          fc.sample(arbitrary, { numRuns, seed: (seed + round * 1009 + index) | 0 }),
        );
        for (const request of drawn.slice(0, total - made)) {
          made += 1;
          yield request;
        }
      }
    };
    const requests = nextRound();
    const worker = async () => {
      for (const request of requests) {
        if (failures.length >= shownFailures || performance.now() > deadline) return;
        await one(request);
      }
    };
    // The workers share one generator: each takes the next request when it is free. A worker that returns early closes
    // the generator for all.
    await Promise.all(Array.from({ length: concurrency }, worker));
    sender.close();

    const summary = Object.fromEntries([...statuses].toSorted(([a], [b]) => a - b));
    console.info(`fuzz: seed ${seed}, ${made} requests, slowest ${Math.round(late)} ms, ${JSON.stringify(summary)}`);
    expect(
      failures.length,
      `BERTH_TEST_SEED=${seed} repeats this\n${failures.slice(0, shownFailures).join('\n\n')}`,
    ).toBe(0);
    expect(made, 'ran out of time').toBe(total);
    expect((await api.admin.get('/drives')).status).toBe(200);
    expect((await api.admin.post('/drives', { metadata: { name: 'afterwards' }, spec: {} })).status).toBe(200);
    await removeDeleted(api.database);
    expect(await wrongCounters(api)).toEqual([]);
    // Guards against requests that all fail early: only a few operations may never have succeeded.
    const never = operations.filter(({ id }) => !reached.has(id)).map(({ id }) => id);
    console.info(`fuzz: never answered with 200: ${never.join(', ') || 'none'}`);
    if (total >= 20_000) expect(never.length).toBeLessThan(operations.length / 5);
  },
  (maxMinutes + 2) * 60_000,
);

/** Remembers ids that only the server creates, for later requests. */
function harvest(known: Map<string, string>, operation: string, text: string): void {
  if (operation === 'createServiceAccount') known.set('clientId', JSON.parse(text).client_id);
  if (operation === 'createServiceAccountKey') known.set('apiKeyId', JSON.parse(text).id);
  if (operation === 'createJobExecution') known.set('executionId', JSON.parse(text).executionId);
}
