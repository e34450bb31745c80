// Passes a request of an admitted caller on to an instance of its workload, and counts it as demand meanwhile.
import type { Admitted } from '../access/admitted.ts';
import type { DemandTracker } from '../demand/demand-tracker.ts';
import type { Outcome } from '../proxy/outcome.ts';
import type { Route } from '../routing/route.ts';
import type { Target } from '../workloads/target.ts';
import { workloadKinds } from '../workloads/workload-kinds.ts';
import { createOffer, type OfferOptions } from './offer.ts';
import type { OpenStreams } from './open-streams.ts';
import type { RequestContext } from './request-context.ts';

export interface PassOnOptions extends OfferOptions {
  readonly demand: Pick<DemandTracker, 'enter'>;
  readonly streams: OpenStreams;
}

interface Passed {
  readonly route: Route;
  readonly admitted: Admitted;
  /** Admits the caller anew, with what is known of the workload then. */
  readonly admitAgain: () => Admitted | Promise<Admitted | 'preflight'>;
  readonly target: Target;
  readonly session: string | undefined;
  /** As the workload receives them. */
  readonly headers: readonly string[];
  readonly context: RequestContext;
}

export type PassOn = (passed: Passed) => Promise<Outcome>;

export function createPassOn(options: PassOnOptions): PassOn {
  const { demand, streams } = options;
  const offer = createOffer(options);
  return async ({ admitted: { workload, preview }, ...passed }) => {
    const { request } = passed.context.call;
    const leave = workloadKinds[workload.kind].hasDemand ? demand.enter(workload.uid) : undefined;
    const unwatch = streams.watch({ admit: passed.admitAgain, cut: () => void request.socket.destroy() });
    try {
      return await offer({ ...passed, workload, preview });
    } finally {
      unwatch();
      leave?.();
    }
  };
}
