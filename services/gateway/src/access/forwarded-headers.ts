// The headers of a request as its workload gets them. What the platform says of a request stands in headers that nobody
// outside can set:
//   X-<Long>-Workspace, X-<Long>-Workload     names of the workload that was called
//   X-<Long>-Subject, X-<Long>-Subject-Type   who called, when it is known: user or service_account
//   X-Request-Id, traceparent                 of this request
//   X-Forwarded-For, -Proto, -Host            as the client reached us
// Everything else stays as it was sent, in its order and with its duplicates.
import { type Brand, headerNames } from '@berth/contract';
import type { Principal } from '@berth/identity';
import { pairsOf, withoutHopByHop } from '../proxy/hop-by-hop.ts';
import type { Workload } from '../routing/route.ts';
import type { CredentialHeader } from './credential.ts';
import { plainAddress } from './trusted-proxies.ts';

export interface Peer {
  readonly address: string;
  readonly isTls: boolean;
  /** Configured as an edge in front of us: what it says of the client is believed. */
  readonly isTrusted: boolean;
}

export interface Forwarding {
  readonly brand: Brand;
  readonly workload: Pick<Workload, 'kind' | 'name' | 'workspace'>;
  readonly principal: Pick<Principal, 'subject' | 'subjectType'> | undefined;
  readonly consumed: CredentialHeader | undefined;
  readonly peer: Peer;
  readonly requestId: string;
  readonly traceparent: string;
  /** The session id as the workload knows it; see mcp-session.ts. */
  readonly mcpSessionId?: string | undefined;
  /** The protocol to change to, when this request asks for it and may. */
  readonly upgrade?: string | undefined;
}

/** Names and values in turn, as they came in and as they go out. */
export function forwardedHeaders(rawHeaders: readonly string[], forwarding: Forwarding): string[] {
  const isKept = keepsHeader(forwarding);
  const headers: string[] = [];
  for (const [name, value] of pairsOf(withoutHopByHop(rawHeaders))) {
    if (!isKept(sameAs(name))) continue;
    headers.push(name, isSession(name) ? (forwarding.mcpSessionId ?? value) : value);
  }
  headers.push(...connectionHeaders(rawHeaders, forwarding), ...clientHeaders(rawHeaders, forwarding));
  headers.push(...identityHeaders(forwarding));
  return headers;
}

/** Many servers take an underscore for a hyphen: a name that they would read as ours is ours. */
const sameAs = (name: string): string => name.toLowerCase().replaceAll('_', '-');
const isSession = (name: string): boolean => name.toLowerCase() === 'mcp-session-id';

const aboutTheClient = (name: string): boolean =>
  name.startsWith('x-forwarded-') || name === 'forwarded' || name === 'x-real-ip';
/** Set anew for every request; `Expect` is answered by the gateway itself. */
const replaced = new Set([
  'x-request-id',
  'traceparent',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-host',
  'expect',
]);

function keepsHeader({ brand, workload, consumed, peer }: Forwarding): (name: string) => boolean {
  const ours = `x-${brand.long.toLowerCase()}-`;
  const threadId = headerNames(brand).threadId.toLowerCase();
  return (name) => {
    if (name.startsWith(ours)) return name === threadId && workload.kind === 'agent';
    if (name === 'authorization') return consumed !== 'authorization';
    return !replaced.has(name) && !name.startsWith('proxy-') && (peer.isTrusted || !aboutTheClient(name));
  };
}

/** Of what belongs to one connection, only this is asked for on the next one too. */
function connectionHeaders(rawHeaders: readonly string[], { upgrade }: Forwarding): string[] {
  if (upgrade !== undefined) return ['Connection', 'Upgrade', 'Upgrade', upgrade];
  const takesTrailers = valuesOf(rawHeaders, 'te').some((value) => /(^|,)\s*trailers\s*(,|$)/i.test(value));
  return takesTrailers ? ['TE', 'trailers'] : [];
}

function clientHeaders(rawHeaders: readonly string[], { peer }: Forwarding): string[] {
  const said = (name: string): string[] => (peer.isTrusted ? valuesOf(rawHeaders, name) : []);
  const [proto = peer.isTls ? 'https' : 'http'] = said('x-forwarded-proto');
  const [host = valuesOf(rawHeaders, 'host')[0] ?? ''] = said('x-forwarded-host');
  const path = [...said('x-forwarded-for'), plainAddress(peer.address)].join(', ');
  return ['X-Forwarded-For', path, 'X-Forwarded-Proto', proto, 'X-Forwarded-Host', host];
}

function identityHeaders({ brand, workload, principal, requestId, traceparent }: Forwarding): string[] {
  const name = (what: string): string => `X-${brand.long}-${what}`;
  const place = [name('Workspace'), workload.workspace, name('Workload'), workload.name];
  const caller =
    principal === undefined ? [] : [name('Subject'), principal.subject, name('Subject-Type'), principal.subjectType];
  return [...place, ...caller, 'X-Request-Id', requestId, 'traceparent', traceparent];
}

const valuesOf = (rawHeaders: readonly string[], name: string): string[] =>
  [...pairsOf(rawHeaders)].filter(([each]) => each.toLowerCase() === name).map(([, value]) => value);
