// The Serve walk: host or path → workload → caller → revision → instance → its bytes. A task that reads its arguments, a
// request to a model and one to the path of a job's trigger leave it at the first step; an asynchronous call leaves it once its
// caller is admitted.
import { createPages } from '@berth/contract';
import type { CallerLimits } from '@berth/identity';
import type { Admitted } from '../access/admitted.ts';
import type { CallLog } from '../audit/call-log.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import { clientAddress } from '../http/forwarded-headers.ts';
import type { Call } from '../http/gateway-server.ts';
import { peerOf } from '../http/peer-of.ts';
import { valuesOf } from '../http/raw-headers.ts';
import { asksForAsync, withoutAsync } from '../invocations/asks-for-async.ts';
import type { ServeCall } from '../invocations/serve-call.ts';
import type { ServeModel } from '../models/serve-model.ts';
import { answerPreflight } from '../previews/preflight.ts';
import type { Outcome } from '../proxy/outcome.ts';
import { hostHeader } from '../routing/host.ts';
import { resolve } from '../routing/resolve.ts';
import type { ResolverSettings } from '../routing/resolver.ts';
import type { Route, TriggerRoute } from '../routing/route.ts';
import { taskDataTokenIn } from '../tasks/by-task-data.ts';
import type { ServeTaskData } from '../tasks/serve-task-data.ts';
import type { ServeTrigger } from '../triggers/serve-trigger.ts';
import { isCalling, workloadRoute } from '../triggers/workload-route.ts';
import type { SandboxRules } from '../workloads/target.ts';
import { type AdmitOptions, createAdmit } from './admit.ts';
import { findTarget } from './find-target.ts';
import type { Handle } from './handle.ts';
import type { PassOn } from './pass-on.ts';
import type { RequestContext } from './request-context.ts';
import { type HeaderOptions, requestHeaders, sessionIn } from './request-headers.ts';

export interface WalkOptions extends ResolverSettings, AdmitOptions, HeaderOptions {
  readonly handle: Handle;
  readonly passOn: PassOn;
  readonly sandboxes: SandboxRules;
  readonly calls: Pick<CallLog, 'record'>;
  readonly isTrusted: (address: string) => boolean;
  /** Origins of pages that may call with a key. */
  readonly browserOrigins: readonly string[];
  readonly callers: CallerLimits;
  readonly serveTaskData: ServeTaskData;
  readonly serveTrigger: ServeTrigger;
  readonly serveCall: ServeCall;
  readonly serveModel: ServeModel;
}

export function createWalk(options: WalkOptions): (call: Call) => Promise<void> {
  const { brand, callers, calls, handle, isTrusted, passOn, sandboxes, triggers } = options;
  const { serveTaskData, serveTrigger, serveCall, serveModel } = options;
  const admit = createAdmit(options);
  const pages = createPages(options.browserOrigins, brand);

  /** What a path names: the workload of the trigger, or a job, whose trigger starts an execution. */
  async function byTrigger(route: TriggerRoute, context: RequestContext): Promise<Route | undefined> {
    const { workload: trigger } = await triggers.admit(route, context.call.request.rawHeaders);
    return isCalling(trigger) ? workloadRoute(route, trigger) : undefined;
  }

  async function serveWorkload(route: Route, context: RequestContext): Promise<Outcome> {
    const { request } = context.call;
    const admitting = admit(route, context);
    // A known caller is not awaited: an extra turn of the microtask queue for every request adds up.
    const admitted = admitting instanceof Promise ? await admitting : admitting;
    if (admitted === 'preflight') return answerPreflight(context.call, context.answerHeaders);
    const { workload, principal, trigger } = admitted;
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
    const admitAgain = () => admit(route, context);
    if (trigger?.isAsync !== true && !asksForAsync(workload.kind, target.path))
      return passOn({ route, admitted, admitAgain, target, session, headers, context });
    // The workload's own requests are the runs of the call.
    context.workload = undefined;
    return serveCall({
      admitted,
      admitAgain: () => admitCaller(admitAgain),
      path: withoutAsync(target.path),
      headers,
      context,
    });
  }

  async function serve(context: RequestContext): Promise<Outcome> {
    const { request } = context.call;
    callers.countAddress(request.socket.remoteAddress, valuesOf(request.rawHeaders, 'x-forwarded-for'));
    const taskToken = taskDataTokenIn(request, options);
    if (taskToken !== undefined) {
      context.kind = 'task';
      return serveTaskData(taskToken, context);
    }
    const named = resolve({ host: hostHeader(request.rawHeaders), rawTarget: request.url ?? '/' }, options);
    // On a host of its own a workload answers pages itself, and previews have headers of their own. A model has no answer to them.
    if (named.by === 'path' || named.by === 'trigger' || named.by === 'model') {
      const { origin, 'access-control-request-method': requestMethod } = request.headers;
      const page = pages({ method: request.method, origin, requestMethod });
      if (page !== undefined) context.answerHeaders = page.headers;
      if (page?.preflight !== undefined) return answerPreflight(context.call, page.preflight);
    }
    if (named.by === 'model') {
      context.kind = 'model';
      return serveModel(named, context);
    }
    if (named.by !== 'trigger') return serveWorkload(named, context);
    context.kind = 'trigger';
    const route = await byTrigger(named, context);
    return route === undefined ? serveTrigger(named, context) : serveWorkload(route, context);
  }

  return async (call) => {
    await handle(call, serve);
  };
}

/** Only previews answer preflights, and no preview is called asynchronously. */
async function admitCaller(admit: () => Admitted | Promise<Admitted | 'preflight'>): Promise<Admitted> {
  const admitted = await admit();
  if (admitted === 'preflight') throw new GatewayError('BAD_REQUEST');
  return admitted;
}

/** Adds the workload and its caller to the log line. */
function addToLogLine({ workload, principal, preview, trigger }: Admitted, context: RequestContext): void {
  const { workspace, kind, name } = workload;
  context.kind = kind;
  context.event.add({ workspace, kind, workload: name, subject: principal?.subject });
  if (preview !== undefined) context.event.add({ preview: preview.preview.name });
  if (trigger !== undefined) context.event.add({ trigger: trigger.triggerId });
}
