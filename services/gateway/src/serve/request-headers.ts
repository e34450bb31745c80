import type { IncomingMessage } from 'node:http';
import type { Brand } from '@berth/contract';
import { formatTraceparent } from '@berth/telemetry';
import type { Admitted } from '../access/admitted.ts';
import { forwardedHeaders, type Peer } from '../http/forwarded-headers.ts';
import { setHeaders } from '../http/header-map.ts';
import { incomingSession } from '../http/mcp-session.ts';
import type { Target } from '../workloads/target.ts';
import type { ServedKind } from '../workloads/workload.ts';
import { workloadKinds } from '../workloads/workload-kinds.ts';
import type { RequestContext } from './request-context.ts';

/** Session id as the client sent it; undefined for kinds without sessions. */
export function sessionIn({ headers }: IncomingMessage, kind: ServedKind): string | undefined {
  const { sessionHeader } = workloadKinds[kind];
  return sessionHeader === undefined ? undefined : oneHeader(headers[sessionHeader]);
}

export interface HeaderOptions {
  readonly brand: Brand;
}

interface Described extends HeaderOptions {
  readonly admitted: Admitted;
  readonly target: Target;
  readonly peer: Peer;
  readonly session: string | undefined;
}

/** Request headers as the workload receives them, including those that a preview sets. */
export function requestHeaders(
  { brand, admitted, target, peer, session }: Described,
  { call, requestId, trace }: RequestContext,
): readonly string[] {
  const { request } = call;
  const { workload, principal, consumed, preview } = admitted;
  const headers = forwardedHeaders(request.rawHeaders, {
    brand,
    workload,
    rules: workloadKinds[workload.kind].headers,
    principal,
    consumed,
    target,
    peer,
    requestId,
    traceparent: formatTraceparent(trace),
    mcpSessionId: session === undefined ? undefined : incomingSession(session).id,
    upgrade: call.upgrade === undefined ? undefined : request.headers.upgrade,
  });
  return preview === undefined ? headers : setHeaders(headers, preview.preview.requestHeaders);
}

export const oneHeader = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;
