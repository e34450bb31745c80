import type { Admitted } from '../access/admitted.ts';
import { type Gatekeeper, required } from '../access/gatekeeper.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import type { PreviewGate } from '../previews/preview-gate.ts';
import type { FoundWorkload, Route, TriggerRoute } from '../routing/route.ts';
import type { FoundTrigger } from '../routing/trigger.ts';
import type { WorkloadCache } from '../routing/workload-cache.ts';
import type { RequestContext } from './request-context.ts';

export interface AdmitOptions {
  readonly gatekeeper: Gatekeeper<Route, FoundWorkload>;
  readonly previews: PreviewGate;
  readonly triggers: Gatekeeper<TriggerRoute, FoundTrigger>;
  readonly cache: Pick<WorkloadCache, 'find'>;
}

/** Throws a GatewayError for a caller who may not pass. Returns synchronously for most known callers. */
export type Admit = (route: Route, context: RequestContext) => Admitted | Promise<Admitted | 'preflight'>;

export function createAdmit({ gatekeeper, previews, triggers, cache }: AdmitOptions): Admit {
  /** The trigger decides who may pass, and not the workload behind it. */
  async function admitVia(route: Route, via: TriggerRoute, rawHeaders: readonly string[]): Promise<Admitted> {
    const { workload: trigger, principal, consumed } = await triggers.admit(via, rawHeaders);
    const workload = await cache.find(route, 'caller');
    if (workload?.uid !== trigger.uid)
      throw principal === undefined ? required : new GatewayError('WORKLOAD_NOT_FOUND');
    return { workload, principal, consumed, trigger };
  }

  return (route, context) => {
    const { request } = context.call;
    if (route.by === 'path' && route.via !== undefined) return admitVia(route, route.via.route, request.rawHeaders);
    if (route.by !== 'preview') return gatekeeper.admit(route, request.rawHeaders);
    return previews.admit(route, request, (headers) => {
      context.answerHeaders = headers;
    });
  };
}
