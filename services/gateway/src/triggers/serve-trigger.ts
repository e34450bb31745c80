// Answers a request to the path of a trigger: it starts an execution of the job. The answer names the execution and
// never its tasks, because configured arguments may be private.
import { type Brand, bytesPerMb } from '@berth/contract';
import type { CallerLimits } from '@berth/identity';
import type { WideEvent } from '@berth/telemetry';
import { type Gatekeeper, required } from '../access/gatekeeper.ts';
import type { CallLog } from '../audit/call-log.ts';
import { WaitingList } from '../demand/waiting-list.ts';
import { GatewayError, platformHeaders } from '../errors/gateway-error.ts';
import { clientAddress } from '../http/forwarded-headers.ts';
import type { Call } from '../http/gateway-server.ts';
import type { HeaderMap } from '../http/header-map.ts';
import { peerOf } from '../http/peer-of.ts';
import { sendAnswer } from '../http/send-answer.ts';
import { type Outcome, outcomeOf, startTally } from '../proxy/outcome.ts';
import { readBody } from '../proxy/read-body.ts';
import { ClientGone } from '../proxy/request-body.ts';
import type { TriggerRoute } from '../routing/route.ts';
import type { FoundTrigger } from '../routing/trigger.ts';
import { messageIdIn } from './message-id.ts';
import { tasksIn } from './read-tasks.ts';
import type { StartExecution } from './start-execution.ts';
import type { TriggerCache } from './trigger-cache.ts';
import { bodyTooLarge, onlyPost, startsBusy, switchedOff } from './trigger-errors.ts';

export interface ServeTriggerOptions {
  readonly gatekeeper: Gatekeeper<TriggerRoute, FoundTrigger>;
  readonly cache: Pick<TriggerCache, 'invalidate'>;
  readonly callers: Pick<CallerLimits, 'countKey'>;
  readonly calls: Pick<CallLog, 'record'>;
  readonly isTrusted: (address: string) => boolean;
  readonly start: StartExecution;
  readonly brand: Brand;
}

interface TriggerRequest {
  readonly call: Call;
  readonly requestId: string;
  readonly event: Pick<WideEvent, 'add'>;
  /** Headers for every response to this request. */
  answerHeaders: HeaderMap;
}

export type ServeTrigger = (route: TriggerRoute, request: TriggerRequest) => Promise<Outcome>;

const maxBodyBytes = bytesPerMb;
const maxBodyMs = 30_000;
/**
 * Requests that are read or started at once, of one workspace and in all. Each holds up to `maxBodyBytes`. Anonymous
 * callers are counted apart, so that they cannot shut out callers with a key.
 */
const maxOpen = 64;
const maxOpenInAll = 256;

export function createServeTrigger(options: ServeTriggerOptions): ServeTrigger {
  const { gatekeeper, cache, callers, calls, isTrusted, start, brand } = options;
  const source = platformHeaders(brand).source;
  const open = new WaitingList(maxOpen);
  const openInAll = new WaitingList(maxOpenInAll);

  function recordCall({ principal, workload }: Admitted, { call: { request }, requestId }: TriggerRequest): void {
    if (principal === undefined) return;
    const peer = peerOf(request, isTrusted);
    const address = clientAddress(request.rawHeaders, peer.address, peer.isTrusted);
    calls.record(principal, workload, { requestId, address });
  }

  async function admit(route: TriggerRoute, context: TriggerRequest): Promise<Admitted> {
    const { request } = context.call;
    const admitted = await gatekeeper.admit(route, request.rawHeaders);
    const { workload: trigger, principal } = admitted;
    if (principal !== undefined) callers.countKey(principal.keyId);
    const { workspace, name: job, triggerId } = trigger;
    context.event.add({ workspace, job, trigger: triggerId, subject: principal?.subject });
    if (request.method !== 'POST') {
      context.answerHeaders = { Allow: 'POST' };
      throw onlyPost;
    }
    if (!trigger.isEnabled) throw switchedOff;
    recordCall(admitted, context);
    return admitted;
  }

  function inTurn<Result>({ workload, principal }: Admitted, work: () => Promise<Result>): Promise<Result> {
    const caller = principal === undefined ? 'anonymous' : 'known';
    const group = `${caller} ${workload.workspaceId}`;
    if (open.isFull(group) || openInAll.isFull(caller)) throw startsBusy;
    return openInAll.wait(caller, () => open.wait(group, work));
  }

  async function startFor(route: TriggerRoute, named: FoundTrigger, { call }: TriggerRequest) {
    const { rawHeaders } = call.request;
    const tooLarge = (): GatewayError => bodyTooLarge(named);
    const body = await readBody(call, { maxBytes: maxBodyBytes, maxMs: maxBodyMs, tooLarge });
    // A body may take long to arrive. A key that was revoked meanwhile starts nothing.
    const { workload: trigger, principal } = await gatekeeper.admit(route, rawHeaders);
    const messageId = messageIdIn(rawHeaders, trigger.triggerId);
    const isMember = principal?.memberships.some(({ workspaceId }) => workspaceId === trigger.workspaceId) ?? false;
    const started = await start({ trigger, subject: principal?.subject, isMember, messageId, tasks: tasksIn(body) });
    if (started !== undefined) return { ...started, trigger, messageId, bytesIn: body.length };
    // The trigger changed after it was cached. The caller gets the answer that the next request gets.
    cache.invalidate(route);
    throw principal === undefined ? required : new GatewayError('WORKLOAD_NOT_FOUND');
  }

  return async (route, context) => {
    const { call, requestId, event } = context;
    const tally = startTally();
    const admitted = await admit(route, context);
    try {
      const started = await inTurn(admitted, () => startFor(route, admitted.workload, context));
      event.add({ execution: started.id });
      tally.bytesIn = started.bytesIn;
      if (call.request.socket.destroyed) return outcomeOf(tally, { code: 'client_gone' });
      const { name: jobId, workspace: workspaceId } = started.trigger;
      const body = JSON.stringify({ executionId: started.externalId, id: started.messageId, jobId, workspaceId });
      sendAnswer(call, { status: 200, headers: answerHeaders(body, requestId, source), body });
      tally.status = 200;
      tally.bytesOut = Buffer.byteLength(body);
      return outcomeOf(tally, undefined);
    } catch (error) {
      if (error instanceof ClientGone) return outcomeOf(tally, { code: 'client_gone' });
      throw error;
    }
  };
}

type Admitted = Awaited<ReturnType<ServeTriggerOptions['gatekeeper']['admit']>>;

const answerHeaders = (body: string, requestId: string, source: string): Record<string, string> => ({
  'Content-Type': 'application/json; charset=utf-8',
  'Content-Length': String(Buffer.byteLength(body)),
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'X-Request-Id': requestId,
  [source]: 'platform',
});
