// Answers a task that reads its arguments. The address is the credential: it opens the arguments of one execution and
// nothing else, until the execution ends.
import type { Brand } from '@berth/contract';
import { readTaskDataToken, taskDataPath } from '@berth/jobs';
import type { WideEvent } from '@berth/telemetry';
import { GatewayError, platformHeaders } from '../errors/gateway-error.ts';
import { acceptsGzip } from '../http/accepts-gzip.ts';
import type { Call } from '../http/gateway-server.ts';
import { sendAnswer } from '../http/send-answer.ts';
import { type Outcome, outcomeOf, startTally } from '../proxy/outcome.ts';
import type { TaskData } from './task-data.ts';

interface ServeTaskDataOptions {
  /** Key with which the orchestrator signs tokens. */
  readonly key: Buffer;
  readonly data: TaskData;
  readonly brand: Brand;
}

interface TaskDataRequest {
  readonly call: Pick<Call, 'request' | 'response'>;
  readonly requestId: string;
  readonly event: Pick<WideEvent, 'add'>;
}

export type ServeTaskData = (token: string, request: TaskDataRequest) => Promise<Outcome>;

const methods: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD']);
/** A smaller document is not worth the time. */
const minGzipBytes = 1_024;
/** The path as the log shows it: with the token, a reader of the log could read the arguments. */
const loggedPath = `${taskDataPath}***`;

/** The same for a wrong token and an ended execution: the answer does not tell which executions exist. */
const notFound = new GatewayError('TASK_DATA_NOT_FOUND');

export function createServeTaskData({ key, data, brand }: ServeTaskDataOptions): ServeTaskData {
  const source = platformHeaders(brand).source;
  return async (token, { call, requestId, event }) => {
    const { request } = call;
    const tally = startTally();
    event.add({ path: loggedPath });
    const task = methods.has(request.method) ? readTaskDataToken(key, token) : undefined;
    if (task === undefined) throw notFound;
    event.add({ execution: task.executionId, task: task.index });
    const body = await data.bodyOf(task);
    if (body === undefined) throw notFound;
    const isGzip = body.plain.length > minGzipBytes && acceptsGzip(request.headers['accept-encoding']);
    const bytes = isGzip ? await body.gzipped() : body.plain;
    if (request.socket.destroyed) return outcomeOf(tally, { code: 'client_gone' });
    const headers = {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': String(bytes.length),
      ...(isGzip ? { 'Content-Encoding': 'gzip' } : {}),
      Vary: 'Accept-Encoding',
      'Cache-Control': 'no-store',
      // Tenants choose these bytes, and the host is shared by all of them.
      'X-Content-Type-Options': 'nosniff',
      'X-Request-Id': requestId,
      [source]: 'platform',
    };
    sendAnswer(call, { status: 200, headers, body: bytes });
    tally.status = 200;
    tally.bytesOut = request.method === 'HEAD' ? 0 : bytes.length;
    return outcomeOf(tally, undefined);
  };
}
