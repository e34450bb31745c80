// Response headers as the client receives them.
import type { IncomingMessage } from 'node:http';
import type { Brand } from '@berth/contract';
import type { AdmittedPreview } from '../access/admitted.ts';
import { isSticky, type StickyCookies } from '../access/sticky-cookie.ts';
import { isolateResponse } from '../http/browser-isolation.ts';
import { noHeaders, setHeaders } from '../http/header-map.ts';
import { pairsOf } from '../http/hop-by-hop.ts';
import { outgoingSession } from '../http/mcp-session.ts';
import { withoutPlatformHeaders } from '../http/platform-headers.ts';
import { pathBase } from '../routing/by-path.ts';
import type { Route } from '../routing/route.ts';
import type { Endpoint, Workload } from '../workloads/workload.ts';
import { workloadKinds } from '../workloads/workload-kinds.ts';
import type { RequestContext } from './request-context.ts';

export type OnResponseHead = (status: number, rawHeaders: string[]) => string[];

interface Answering {
  readonly brand: Brand;
  readonly cookies: StickyCookies;
  readonly route: Route;
  readonly workload: Workload;
  readonly endpoint: Endpoint;
  readonly request: IncomingMessage;
}

/** Headers of the workload's response, with the instance in the session id and a cookie for the revision. */
export function workloadHeaders(answering: Answering, rawHeaders: readonly string[]): string[] {
  const { brand, cookies, route, workload, endpoint, request } = answering;
  const { sessionHeader } = workloadKinds[workload.kind];
  const headers: string[] = [];
  for (const [name, value] of pairsOf(withoutPlatformHeaders(rawHeaders, brand))) {
    const isSession = sessionHeader !== undefined && name.toLowerCase() === sessionHeader;
    headers.push(name, isSession ? outgoingSession(value, endpoint.instance) : value);
  }
  const { traffic, uid } = workload;
  const { revision } = endpoint;
  if (!isSticky(traffic) || cookies.read(request.headers.cookie, uid) === revision) return headers;
  // Workloads on one host have separate cookies, by path.
  const path = pathBase(route) || '/';
  const isTls = 'encrypted' in request.socket;
  headers.push('Set-Cookie', cookies.issue({ uid, revision, seconds: traffic.stickySeconds, path, isTls }));
  return headers;
}

/** Isolates the responses of every workload from those of other tenants, and adds the headers of the preview, or for the page. */
export function isolated(
  onResponseHead: OnResponseHead,
  route: Route,
  preview: AdmittedPreview | undefined,
  context: RequestContext,
): OnResponseHead {
  const isolation = { domain: preview?.preview.customDomain, path: pathBase(route) };
  if (preview === undefined && context.answerHeaders === noHeaders)
    return (status, rawHeaders) => isolateResponse(onResponseHead(status, rawHeaders), isolation);
  const cookie = preview?.cookie === undefined ? [] : ['Set-Cookie', preview.cookie];
  return (status, rawHeaders) => {
    const headers = setHeaders(onResponseHead(status, rawHeaders), context.answerHeaders);
    return [...isolateResponse(headers, isolation), ...cookie];
  };
}
