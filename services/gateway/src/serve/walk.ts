// The Serve walk: host or path → workload → caller → revision → instance → its bytes. Every request writes one log
// line, except those of anonymous callers in a flood.
import type { Brand } from '@berth/contract';
import type { CallerLimits } from '@berth/identity';
import { backoffMs, pause } from '@berth/pace';
import {
  childOf,
  formatTraceparent,
  type Logger,
  parseTraceparent,
  requestIdFrom,
  startTrace,
  startWideEvent,
  type WideEvent,
} from '@berth/telemetry';
import { NotDispatched } from '@berth/wire';
import type { Admitted, AdmittedPreview } from '../access/admitted.ts';
import type { Gatekeeper } from '../access/gatekeeper.ts';
import type { CallLog } from '../audit/call-log.ts';
import type { DemandTracker } from '../demand/demand-tracker.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import { isolateResponse } from '../http/browser-isolation.ts';
import { clientAddress, forwardedHeaders } from '../http/forwarded-headers.ts';
import type { Call } from '../http/gateway-server.ts';
import { mergeHeaders, noHeaders, setHeaders } from '../http/header-map.ts';
import { incomingSession } from '../http/mcp-session.ts';
import { valuesOf } from '../http/raw-headers.ts';
import { sendAnswer } from '../http/send-answer.ts';
import { answerPreflight } from '../previews/preflight.ts';
import type { PreviewGate } from '../previews/preview-gate.ts';
import { previewTarget } from '../previews/preview-target.ts';
import type { Forwarder } from '../proxy/forwarder.ts';
import type { Outcome } from '../proxy/outcome.ts';
import type { Upgrader } from '../proxy/upgrader.ts';
import { pathBase } from '../routing/by-path.ts';
import { hostHeader } from '../routing/host.ts';
import { resolve } from '../routing/resolve.ts';
import type { Route } from '../routing/route.ts';
import { type SandboxRules, type Target, targetOf } from '../routing/target.ts';
import type { WorkloadCache } from '../routing/workload-cache.ts';
import type { Workload } from '../workloads/workload.ts';
import type { Chooser } from './chooser.ts';
import type { OpenStreams } from './open-streams.ts';
import { finalRefusal, outcomeError } from './outcome-error.ts';
import { createRefusalLog } from './refusal-log.ts';
import { createRemovalWatcher } from './removal-watcher.ts';
import type { RequestMetrics } from './request-metrics.ts';
import type { WaitingList } from './waiting-list.ts';

export interface WalkOptions {
  readonly brand: Brand;
  readonly workloadDomain: string;
  readonly isOwnHost: (host: string) => boolean;
  readonly docsUrl: string;
  readonly gatekeeper: Gatekeeper;
  readonly previews: PreviewGate;
  readonly cache: Pick<WorkloadCache, 'invalidate'>;
  readonly sandboxes: SandboxRules;
  readonly demand: Pick<DemandTracker, 'enter'>;
  readonly calls: Pick<CallLog, 'record'>;
  readonly chooser: Chooser;
  readonly forwarder: Forwarder;
  readonly upgrader: Upgrader;
  readonly isTrusted: (address: string) => boolean;
  readonly callers: CallerLimits;
  readonly streams: OpenStreams;
  /** How long a request that has reached no instance is retried. */
  readonly retryForMs: number;
  /** Counts such requests; when it is full, a request is refused at once. */
  readonly waiting: WaitingList;
  readonly logger: Logger;
  readonly metrics: RequestMetrics;
}

/** Facts collected about a request so far. */
interface About {
  readonly event: WideEvent;
  kind: Workload['kind'] | undefined;
  target: Target | undefined;
  /** Headers for every response to this request. */
  answerHeaders: Readonly<Record<string, string>>;
}

interface Offered {
  readonly call: Call;
  readonly route: Route;
  readonly workload: Workload;
  readonly target: Target;
  readonly session: string | undefined;
  readonly headers: readonly string[];
  readonly preview: AdmittedPreview | undefined;
  readonly about: About;
}

/** Backoff between rounds in which no instance took the request: its runner may be restarting. */
const roundMs = { first: 100, max: 500 };

export function createWalk(options: WalkOptions): (call: Call) => Promise<void> {
  const { brand, docsUrl, gatekeeper, chooser, waiting, logger, metrics } = options;
  const refusals = createRefusalLog(logger);
  const forgetRemoved = createRemovalWatcher((instance) => options.forwarder.forget(instance));

  /**
   * Offers the request to one instance after another until one takes it: a request that reached no instance may be
   * repeated.
   */
  async function offer(offered: Offered): Promise<Outcome> {
    const { call, route, workload: known, target, session, headers, about } = offered;
    const { request, response, upgrade } = call;
    const giveUpAt = performance.now() + options.retryForMs;
    const refused = new Set<string>();
    let workload = known;
    for (let rounds = 0; ; ) {
      forgetRemoved(workload);
      const asked = { request, session, refused };
      const { endpoint: chosen, onResponseHead, heldMs, count } = await chooser.choose(route, workload, asked);
      const endpoint = target.port === undefined ? chosen : { ...chosen, port: target.port };
      about.event.add({ revision: endpoint.revision, instance: endpoint.instance });
      if (heldMs !== undefined) {
        about.event.add({ heldMs });
        metrics.held(workload.kind, heldMs);
      }
      const task = { request, response, endpoint, headers, kind: workload.kind, path: target.path };
      const dressed = { ...task, onResponseHead: dressAnswers(onResponseHead, offered) };
      const outcome = await count(() =>
        upgrade === undefined
          ? options.forwarder.forward(dressed)
          : options.upgrader.upgrade({ ...dressed, ...upgrade }),
      );
      const isUntouched = outcome.status === undefined && outcome.error?.code === 'unreachable';
      if (!isUntouched || performance.now() >= giveUpAt || finalRefusal(outcome, target) !== undefined) return outcome;
      refused.add(endpoint.instance);
      if (isWrongPlace(outcome)) options.cache.invalidate(route);
      // Reads the workload again: the instance may be gone, and its runner may have another address or secret by now.
      const again = await admit(route, call, about);
      if (again === 'preflight') return outcome;
      ({ workload } = again);
      if (!workload.endpoints.every(({ instance }) => refused.has(instance))) continue;
      rounds += 1;
      const pauseMs = backoffMs(rounds, roundMs.first, roundMs.max, Math.random);
      if (waiting.isFull(workload.uid)) return outcome;
      await waiting.wait(workload.uid, () => pause(pauseMs));
      refused.clear();
    }
  }

  function admit(route: Route, { request }: Call, about: About): Admitted | Promise<Admitted | 'preflight'> {
    if (route.by !== 'preview') return gatekeeper.admit(route, request.rawHeaders);
    return options.previews.admit(route, request, (headers) => {
      about.answerHeaders = headers;
    });
  }

  /** A sandbox has one instance under any load, so its demand is not counted. */
  const countDemand = ({ kind, uid }: Workload): (() => void) | undefined =>
    kind === 'sandbox' ? undefined : options.demand.enter(uid);

  async function pass(call: Call, requestId: string, about: About): Promise<Outcome> {
    const { request } = call;
    options.callers.countAddress(request.socket.remoteAddress, valuesOf(request.rawHeaders, 'x-forwarded-for'));
    const route = resolve({ host: hostHeader(request.rawHeaders), rawTarget: request.url ?? '/' }, options);
    const admitting = admit(route, call, about);
    // A known caller is not awaited: an extra turn of the microtask queue for every request adds up.
    const admitted = admitting instanceof Promise ? await admitting : admitting;
    if (admitted === 'preflight') return answerPreflight(call, about.answerHeaders);
    const { workload, principal, consumed, preview } = admitted;
    if (principal !== undefined) options.callers.countKey(principal.keyId);
    const { workspace, kind, name } = workload;
    about.kind = kind;
    about.event.add({ workspace, kind, workload: name, subject: principal?.subject });
    if (preview !== undefined) about.event.add({ preview: preview.preview.name });
    const target =
      preview === undefined
        ? targetOf(route, workload, options.sandboxes)
        : previewTarget(preview.preview, preview.route, workload, options.sandboxes);
    about.target = target;
    if (target.port !== undefined) about.event.add({ port: target.port });
    if (!workload.isEnabled)
      throw new GatewayError('WORKLOAD_UNAVAILABLE', { message: 'The workload is switched off.' });
    const parent = parseTraceparent(oneHeader(request.headers.traceparent));
    const traceparent = formatTraceparent(parent === undefined ? startTrace() : childOf(parent));
    const session = workload.kind === 'function' ? oneHeader(request.headers['mcp-session-id']) : undefined;
    const address = request.socket.remoteAddress ?? '';
    const isTrusted = options.isTrusted(address);
    if (principal !== undefined)
      options.calls.record(principal, workload, {
        requestId,
        address: clientAddress(request.rawHeaders, address, isTrusted),
      });
    const headers = forwardedHeaders(request.rawHeaders, {
      brand,
      workload,
      principal,
      consumed,
      target,
      peer: { address, isTls: 'encrypted' in request.socket, isTrusted },
      requestId,
      traceparent,
      mcpSessionId: session === undefined ? undefined : incomingSession(session).id,
      upgrade: call.upgrade === undefined ? undefined : request.headers.upgrade,
    });
    const sent = preview === undefined ? headers : setHeaders(headers, preview.preview.requestHeaders);
    const leave = countDemand(workload);
    const isOver = options.streams.watch({
      admit: () => admit(route, call, about),
      cut: () => void request.socket.destroy(),
    });
    try {
      return await offer({ call, route, workload, target, session, headers: sent, preview, about });
    } finally {
      isOver();
      leave?.();
    }
  }

  return async (call) => {
    const { request, response } = call;
    const requestId = requestIdFrom(oneHeader(request.headers['x-request-id']));
    const event = startWideEvent(logger, 'request', { requestId, method: request.method });
    metrics.begin();
    const about: About = { event, kind: undefined, target: undefined, answerHeaders: noHeaders };
    let outcome: Outcome | undefined;
    let error: unknown;
    try {
      outcome = await pass(call, requestId, about);
      error = outcomeError(outcome, about.target);
    } catch (thrown) {
      error = thrown;
    }
    if (error !== undefined && outcome?.status === undefined) {
      const known = error instanceof GatewayError ? error : new GatewayError('INTERNAL_ERROR', {}, error);
      const told = known.answer({ brand, docsUrl, requestId, now: Date.now() });
      event.add({ code: known.code });
      if (known.details.limit !== undefined) metrics.refused(known.details.limit);
      if (!response.headersSent && !request.socket.destroyed)
        sendAnswer(call, { ...told, headers: mergeHeaders(about.answerHeaders, told.headers) });
      metrics.observe(about.kind, told.status, outcome);
      if (told.status >= 500 && known.cause !== undefined) event.fail(known.cause, { status: told.status });
      else if (refusals.hasOwnLine(known)) event.end(figures(told.status, outcome));
      return;
    }
    metrics.observe(about.kind, outcome?.status ?? 0, outcome);
    event.end(figures(outcome?.status, outcome));
  };
}

type OnResponseHead = (status: number, rawHeaders: string[]) => string[];

/** Adds the preview's headers to responses, and the walls between tenants to the responses of every workload. */
function dressAnswers(onResponseHead: OnResponseHead, { route, preview, about }: Offered): OnResponseHead {
  const walls = { domain: preview?.preview.customDomain, path: pathBase(route) };
  if (preview === undefined) return (status, rawHeaders) => isolateResponse(onResponseHead(status, rawHeaders), walls);
  const cookie = preview.cookie === undefined ? [] : ['Set-Cookie', preview.cookie];
  return (status, rawHeaders) => {
    const dressed = setHeaders(onResponseHead(status, rawHeaders), about.answerHeaders);
    return [...isolateResponse(dressed, walls), ...cookie];
  };
}

/** The runner does not have the instance, or is in another session by now: the cached workload is outdated. */
const isWrongPlace = ({ error }: Outcome): boolean =>
  error?.cause instanceof NotDispatched && (error.cause.reason === 'unknown' || error.cause.reason === 'refused');

const figures = (status: number | undefined, outcome: Outcome | undefined) =>
  outcome === undefined
    ? { status }
    : {
        status,
        bytesIn: outcome.bytesIn,
        bytesOut: outcome.bytesOut,
        firstByteMs: outcome.firstByteMs === undefined ? undefined : Math.round(outcome.firstByteMs * 1_000) / 1_000,
        dispatchState: outcome.dispatchState,
        fault: outcome.error?.code,
      };

const oneHeader = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;
