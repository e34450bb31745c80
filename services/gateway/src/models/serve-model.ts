// The Serve walk of a model: model and caller → limits → body → connections in order → bytes of the provider's answer, whose
// tokens are counted.
import type { Brand } from '@berth/contract';
import type { CallerLimits } from '@berth/identity';
import type { WideEvent } from '@berth/telemetry';
import type { Gatekeeper } from '../access/gatekeeper.ts';
import type { CallLog } from '../audit/call-log.ts';
import type { CountedWorkload } from '../counts/workload-minute.ts';
import { clientAddress } from '../http/forwarded-headers.ts';
import type { Call } from '../http/gateway-server.ts';
import type { HeaderMap } from '../http/header-map.ts';
import { peerOf } from '../http/peer-of.ts';
import type { ModelLimits } from '../limits/model-limits.ts';
import { OpenBodies } from '../proxy/open-bodies.ts';
import { type Outcome, outcomeOf, startTally } from '../proxy/outcome.ts';
import { readBody } from '../proxy/read-body.ts';
import { ClientGone } from '../proxy/request-body.ts';
import { modelPathBase } from '../routing/by-model-path.ts';
import type { ModelRoute } from '../routing/route.ts';
import type { CallProvider } from './call-provider.ts';
import type { CountTokens } from './count-tokens.ts';
import type { FoundModel } from './model.ts';
import { bodiesBusy, bodyTooLarge, notCallable, onlyPost, switchedOff } from './model-errors.ts';
import { type Attempt, type Attempts, planAttempts } from './plan-attempts.ts';
import { type Tried, tryConnections } from './try-connections.ts';

export interface ServeModelOptions {
  readonly gatekeeper: Gatekeeper<ModelRoute, FoundModel>;
  readonly callers: Pick<CallerLimits, 'countKey'>;
  readonly calls: Pick<CallLog, 'record'>;
  readonly isTrusted: (address: string) => boolean;
  /** Long answers: their caller is checked again each minute, as for workloads. */
  readonly streams: { watch(stream: { admit(): unknown; cut(): void }): () => void };
  readonly limits: Pick<ModelLimits, 'check'>;
  readonly provider: Pick<CallProvider, 'call'>;
  readonly countTokens: CountTokens;
  readonly brand: Brand;
  readonly maxBodyBytes: number;
}

/** A request, as far as models know it. */
interface ModelRequest {
  readonly call: Call;
  readonly requestId: string;
  readonly event: Pick<WideEvent, 'add'>;
  /** Set once the caller is admitted to it. */
  workload: CountedWorkload | undefined;
  /** Headers for every response to this request. */
  answerHeaders: HeaderMap;
}

export type ServeModel = (route: ModelRoute, context: ModelRequest) => Promise<Outcome>;

const maxBodyMs = 60_000;
/** Bodies in memory, as multiples of the largest one. */
const bodiesOfWorkspace = 8;
const bodiesInAll = 32;

export function createServeModel(options: ServeModelOptions): ServeModel {
  const { gatekeeper, callers, calls, isTrusted, streams, limits, provider, countTokens, brand, maxBodyBytes } =
    options;
  const bodies = new OpenBodies(bodiesOfWorkspace * maxBodyBytes, bodiesInAll * maxBodyBytes);

  async function admit(route: ModelRoute, context: ModelRequest): Promise<FoundModel> {
    const { call, requestId, event } = context;
    const { request } = call;
    const { workload: model, principal } = await gatekeeper.admit(route, request.rawHeaders);
    context.workload = model;
    event.add({ workspace: model.workspace, kind: model.kind, workload: model.name, subject: principal?.subject });
    if (principal === undefined) return model;
    callers.countKey(principal.keyId);
    const peer = peerOf(request, isTrusted);
    calls.record(principal, model, {
      requestId,
      address: clientAddress(request.rawHeaders, peer.address, peer.isTrusted),
    });
    return model;
  }

  function requireCallable(model: FoundModel, context: ModelRequest): void {
    if (!model.isEnabled) throw switchedOff;
    if (model.fault !== undefined) throw notCallable(model.fault);
    if (context.call.request.method === 'POST' && context.call.upgrade === undefined) return;
    context.answerHeaders = { ...context.answerHeaders, Allow: 'POST' };
    throw onlyPost;
  }

  /** A body without a stated length may be as long as any. */
  function reserve({ workspaceId }: FoundModel, { call: { request } }: ModelRequest): () => void {
    const stated = Number(request.headers['content-length'] ?? maxBodyBytes);
    const release = bodies.reserve(workspaceId, Math.min(maxBodyBytes, stated));
    if (release === undefined) throw bodiesBusy;
    return release;
  }

  /** Throws the refusal of the first attempt when no attempt is allowed: another provider may have a price that this one lacks. */
  async function withinLimits(model: FoundModel, attempts: Attempts): Promise<Attempts> {
    const allowed: Attempt[] = [];
    const refusals: unknown[] = [];
    for (const attempt of attempts) {
      try {
        const checked = limits.check(model, attempt.priced);
        if (checked !== undefined) await checked;
        allowed.push(attempt);
      } catch (error) {
        refusals.push(error);
      }
    }
    const [first, ...others] = allowed;
    if (first === undefined) throw refusals[0];
    return [first, ...others];
  }

  return async (route, context) => {
    const { call, event } = context;
    const named = await admit(route, context);
    requireCallable(named, context);
    const tally = startTally();
    const release = reserve(named, context);
    const unwatch = streams.watch({
      admit: () => gatekeeper.admit(route, call.request.rawHeaders),
      cut: () => void call.request.socket.destroy(),
    });
    try {
      const body = await readBody(call, { maxBytes: maxBodyBytes, maxMs: maxBodyMs, tooLarge: () => bodyTooLarge });
      tally.bytesIn = body.length;
      // A body may take long to arrive. A key that was revoked meanwhile reaches no provider.
      const { workload: model } = await gatekeeper.admit(route, call.request.rawHeaders);
      requireCallable(model, context);
      const attempts = await withinLimits(model, planAttempts(model, route.path, body));
      const { answerHeaders: ownHeaders } = context;
      const answer = { brand, base: modelPathBase(route), ownHeaders, onAnswer: release };
      const onUnanswered = (tried: Tried) => void countTokens(model, tried, tally);
      const tried = await tryConnections(provider, attempts, { call, tally, model, onUnanswered, ...answer });
      event.add(countTokens(model, tried, tally));
      return outcomeOf(tally, tried.error);
    } catch (error) {
      if (error instanceof ClientGone) return outcomeOf(tally, { code: 'client_gone' });
      throw error;
    } finally {
      unwatch();
      release();
    }
  };
}
