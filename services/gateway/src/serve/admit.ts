import type { Admitted } from '../access/admitted.ts';
import type { Gatekeeper } from '../access/gatekeeper.ts';
import type { PreviewGate } from '../previews/preview-gate.ts';
import type { FoundWorkload, Route } from '../routing/route.ts';
import type { RequestContext } from './request-context.ts';

export interface AdmitOptions {
  readonly gatekeeper: Gatekeeper<Route, FoundWorkload>;
  readonly previews: PreviewGate;
}

/** Throws a GatewayError for a caller who may not pass. Returns synchronously for most known callers. */
export type Admit = (route: Route, context: RequestContext) => Admitted | Promise<Admitted | 'preflight'>;

export function createAdmit({ gatekeeper, previews }: AdmitOptions): Admit {
  return (route, context) => {
    const { request } = context.call;
    if (route.by !== 'preview') return gatekeeper.admit(route, request.rawHeaders);
    return previews.admit(route, request, (headers) => {
      context.answerHeaders = headers;
    });
  };
}
