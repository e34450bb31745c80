import { backoffMs, pause } from '@berth/concurrency';
import type { Brand } from '@berth/contract';
import type { SpanSink } from '@berth/telemetry';
import { NotDispatched } from '@berth/wire';
import type { Admitted, AdmittedPreview } from '../access/admitted.ts';
import type { WaitingList } from '../demand/waiting-list.ts';
import type { Forwarder } from '../proxy/forwarder.ts';
import type { Outcome } from '../proxy/outcome.ts';
import type { Upgrader } from '../proxy/upgrader.ts';
import type { Route } from '../routing/route.ts';
import type { WorkloadCache } from '../routing/workload-cache.ts';
import type { Target } from '../workloads/target.ts';
import type { Workload } from '../workloads/workload.ts';
import type { Chooser } from './chooser.ts';
import { recordsGuest } from './guest-span.ts';
import { finalRefusal } from './outcome-error.ts';
import { createRemovalWatcher } from './removal-watcher.ts';
import type { RequestContext } from './request-context.ts';
import type { RequestMetrics } from './request-metrics.ts';
import { isolated } from './response-headers.ts';

export interface OfferOptions {
  readonly cache: Pick<WorkloadCache, 'invalidate'>;
  readonly chooser: Chooser;
  readonly forwarder: Forwarder;
  readonly upgrader: Upgrader;
  /** How long a request that has reached no instance is retried. */
  readonly retryForMs: number;
  /** Counts such requests; when it is full, a request is refused at once. */
  readonly waiting: WaitingList;
  readonly metrics: RequestMetrics;
  /** Absent without a collector. */
  readonly traces?: { readonly brand: Brand; readonly spans: SpanSink } | undefined;
}

interface Offered {
  readonly route: Route;
  readonly workload: Workload;
  readonly target: Target;
  readonly session: string | undefined;
  readonly headers: readonly string[];
  readonly preview: AdmittedPreview | undefined;
  readonly context: RequestContext;
  readonly admitAgain: () => Admitted | Promise<Admitted | 'preflight'>;
}

/** Backoff between rounds in which no instance took the request: its runner may be restarting. */
const roundMs = { first: 100, max: 500 };

/**
 * Offers the request to one instance after another until one takes it: a request that reached no instance may be
 * repeated.
 */
export function createOffer(options: OfferOptions): (offered: Offered) => Promise<Outcome> {
  const { cache, chooser, forwarder, upgrader, retryForMs, waiting, metrics, traces } = options;
  const forgetRemoved = createRemovalWatcher((instance) => forwarder.forget(instance));

  return async ({ route, workload: known, target, session, headers, preview, context, admitAgain }) => {
    const { request, response, upgrade } = context.call;
    const giveUpAt = performance.now() + retryForMs;
    const refused = new Set<string>();
    let workload = known;
    for (let rounds = 0; ; ) {
      forgetRemoved(workload);
      const asked = { request, session, refused };
      const { endpoint: chosen, onResponseHead, heldMs, count } = await chooser.choose(route, workload, asked);
      const endpoint = target.port === undefined ? chosen : { ...chosen, port: target.port };
      context.event.add({ revision: endpoint.revision, instance: endpoint.instance });
      if (heldMs !== undefined) {
        context.event.add({ heldMs });
        metrics.held(workload.kind, heldMs);
      }
      const answering = isolated(onResponseHead, route, preview, context);
      const isGuest = workload.kind === 'sandbox' && target.port === undefined;
      const task = {
        request,
        response,
        endpoint,
        headers,
        kind: workload.kind,
        path: target.path,
        onResponseHead: isGuest && traces !== undefined ? recordsGuest(answering, context, traces) : answering,
        timeouts: context.run?.timeouts,
      };
      await context.run?.begin();
      const outcome = await count(() =>
        upgrade === undefined ? forwarder.forward(task) : upgrader.upgrade({ ...task, ...upgrade }),
      );
      const isUntouched = outcome.status === undefined && outcome.error?.code === 'unreachable';
      if (!isUntouched || performance.now() >= giveUpAt || finalRefusal(outcome, target) !== undefined) return outcome;
      refused.add(endpoint.instance);
      if (isWrongPlace(outcome)) cache.invalidate(route);
      // Reads the workload again: the instance may be gone, and its runner may have another address or secret by now.
      const again = await admitAgain();
      if (again === 'preflight') return outcome;
      ({ workload } = again);
      if (!workload.endpoints.every(({ instance }) => refused.has(instance))) continue;
      rounds += 1;
      const pauseMs = backoffMs(rounds, roundMs.first, roundMs.max, Math.random);
      if (waiting.isFull(workload.uid)) return outcome;
      await waiting.wait(workload.uid, () => pause(pauseMs));
      refused.clear();
    }
  };
}

/** The runner does not have the instance, or is in another session by now: the cached workload is outdated. */
const isWrongPlace = ({ error }: Outcome): boolean =>
  error?.cause instanceof NotDispatched && (error.cause.reason === 'unknown' || error.cause.reason === 'refused');
