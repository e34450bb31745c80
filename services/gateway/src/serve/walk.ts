// The Serve walk: host or path → workload → caller → revision → instance → its bytes. A task that reads its arguments, a
// request to a model and one to the path of a trigger leave it at the first step. Every request writes one log line, except those of
// anonymous callers in a flood.
import type { CallerLimits } from '@berth/identity';
import { requestIdFrom, startWideEvent } from '@berth/telemetry';
import type { Admitted } from '../access/admitted.ts';
import type { CallLog } from '../audit/call-log.ts';
import type { DemandTracker } from '../demand/demand-tracker.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import { clientAddress } from '../http/forwarded-headers.ts';
import type { Call } from '../http/gateway-server.ts';
import { noHeaders } from '../http/header-map.ts';
import { peerOf } from '../http/peer-of.ts';
import { valuesOf } from '../http/raw-headers.ts';
import type { ServeModel } from '../models/serve-model.ts';
import { answerPreflight } from '../previews/preflight.ts';
import type { Outcome } from '../proxy/outcome.ts';
import { hostHeader } from '../routing/host.ts';
import { resolve } from '../routing/resolve.ts';
import type { ResolverSettings } from '../routing/resolver.ts';
import { taskDataTokenIn } from '../tasks/by-task-data.ts';
import type { ServeTaskData } from '../tasks/serve-task-data.ts';
import type { ServeTrigger } from '../triggers/serve-trigger.ts';
import type { SandboxRules } from '../workloads/target.ts';
import { workloadKinds } from '../workloads/workload-kinds.ts';
import { type AdmitOptions, createAdmit } from './admit.ts';
import { createEndRequest, type EndOptions } from './end-request.ts';
import { findTarget } from './find-target.ts';
import { createOffer, type OfferOptions } from './offer.ts';
import type { OpenStreams } from './open-streams.ts';
import { outcomeError } from './outcome-error.ts';
import type { RequestContext } from './request-context.ts';
import { oneHeader, requestHeaders, sessionIn } from './request-headers.ts';

export interface WalkOptions extends ResolverSettings, AdmitOptions, OfferOptions, EndOptions {
  readonly sandboxes: SandboxRules;
  readonly demand: Pick<DemandTracker, 'enter'>;
  readonly calls: Pick<CallLog, 'record'>;
  readonly isTrusted: (address: string) => boolean;
  readonly callers: CallerLimits;
  readonly streams: OpenStreams;
  readonly serveTaskData: ServeTaskData;
  readonly serveTrigger: ServeTrigger;
  readonly serveModel: ServeModel;
}

export function createWalk(options: WalkOptions): (call: Call) => Promise<void> {
  const { brand, callers, calls, demand, isTrusted, logger, metrics, sandboxes, streams } = options;
  const { serveTaskData, serveTrigger, serveModel } = options;
  const admit = createAdmit(options);
  const offer = createOffer(options, admit);
  const endRequest = createEndRequest(options);

  async function serve(context: RequestContext): Promise<Outcome> {
    const { request } = context.call;
    callers.countAddress(request.socket.remoteAddress, valuesOf(request.rawHeaders, 'x-forwarded-for'));
    const taskToken = taskDataTokenIn(request, options);
    if (taskToken !== undefined) {
      context.kind = 'task';
      return serveTaskData(taskToken, context);
    }
    const route = resolve({ host: hostHeader(request.rawHeaders), rawTarget: request.url ?? '/' }, options);
    if (route.by === 'trigger') {
      context.kind = 'trigger';
      return serveTrigger(route, context);
    }
    if (route.by === 'model') {
      context.kind = 'model';
      return serveModel(route, context);
    }
    const admitting = admit(route, context);
    // A known caller is not awaited: an extra turn of the microtask queue for every request adds up.
    const admitted = admitting instanceof Promise ? await admitting : admitting;
    if (admitted === 'preflight') return answerPreflight(context.call, context.answerHeaders);
    const { workload, principal, preview } = admitted;
    context.workload = workload;
    if (principal !== undefined) callers.countKey(principal.keyId);
    addToLogLine(admitted, context);
    const target = findTarget(route, admitted, sandboxes, context);
    if (!workload.isEnabled)
      throw new GatewayError('WORKLOAD_UNAVAILABLE', { message: 'The workload is switched off.' });
    const peer = peerOf(request, isTrusted);
    if (principal !== undefined) {
      const address = clientAddress(request.rawHeaders, peer.address, peer.isTrusted);
      calls.record(principal, workload, { requestId: context.requestId, address });
    }
    const session = sessionIn(request, workload.kind);
    const headers = requestHeaders({ brand, admitted, target, peer, session }, context);
    const leave = workloadKinds[workload.kind].hasDemand ? demand.enter(workload.uid) : undefined;
    const unwatch = streams.watch({
      admit: () => admit(route, context),
      cut: () => void request.socket.destroy(),
    });
    try {
      return await offer({ route, workload, target, session, headers, preview, context });
    } finally {
      unwatch();
      leave?.();
    }
  }

  return async (call) => {
    const { request } = call;
    const requestId = requestIdFrom(oneHeader(request.headers['x-request-id']));
    const event = startWideEvent(logger, 'request', { requestId, method: request.method });
    metrics.begin();
    const context: RequestContext = {
      call,
      requestId,
      event,
      startedAt: performance.now(),
      kind: undefined,
      workload: undefined,
      target: undefined,
      answerHeaders: noHeaders,
    };
    let outcome: Outcome | undefined;
    let error: unknown;
    try {
      outcome = await serve(context);
      error = outcomeError(outcome, context.target);
    } catch (thrown) {
      error = thrown;
    }
    endRequest(context, outcome, error);
  };
}

/** Adds the workload and its caller to the log line. */
function addToLogLine({ workload, principal, preview }: Admitted, context: RequestContext): void {
  const { workspace, kind, name } = workload;
  context.kind = kind;
  context.event.add({ workspace, kind, workload: name, subject: principal?.subject });
  if (preview !== undefined) context.event.add({ preview: preview.preview.name });
}
