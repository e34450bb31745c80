// The headers of a request as its workload gets them. What the platform says of a request stands in headers that nobody
// outside can set:
//   X-<Long>-Workspace, X-<Long>-Workload     names of the workload that was called
//   X-<Long>-Subject, X-<Long>-Subject-Type   who called, when it is known: user or service_account
//   X-Request-Id, traceparent                 of this request
//   X-Forwarded-For, -Proto, -Host            as the client reached us
// Everything else stays as it was sent, in its order and with its duplicates.
import type { Brand } from '@berth/contract';
import type { Principal } from '@berth/identity';
import { withoutHopByHop } from '../proxy/hop-by-hop.ts';
import type { Workload } from '../routing/route.ts';
import type { CredentialHeader } from './credential.ts';
import { type BrandedNames, brandedNames, onlyValueOf, plainName, valuesOf } from './raw-headers.ts';
import { plainAddress } from './trusted-proxies.ts';

interface Peer {
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
  const names = brandedNames(forwarding.brand);
  const sent = withoutHopByHop(rawHeaders);
  const headers: string[] = [];
  for (let at = 0; at + 1 < sent.length; at += 2) {
    const name = sent[at] ?? '';
    const value = sent[at + 1] ?? '';
    const plain = plainName(name);
    if (!keepsHeader(plain, names, forwarding)) continue;
    headers.push(name, plain === 'mcp-session-id' ? (forwarding.mcpSessionId ?? value) : value);
  }
  addConnectionHeaders(headers, rawHeaders, forwarding);
  addClientHeaders(headers, rawHeaders, forwarding);
  addIdentityHeaders(headers, forwarding);
  return headers;
}

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

function keepsHeader(
  name: string,
  { prefix, threadId }: BrandedNames,
  { workload, consumed, peer }: Forwarding,
): boolean {
  if (name.startsWith(prefix)) return name === threadId && workload.kind === 'agent';
  if (name === 'authorization') return consumed !== 'authorization';
  return !replaced.has(name) && !name.startsWith('proxy-') && (peer.isTrusted || !aboutTheClient(name));
}

const takesTrailers = (value: string): boolean => /(^|,)\s*trailers\s*(,|$)/i.test(value);

/** Of what belongs to one connection, only this is asked for on the next one too. */
function addConnectionHeaders(headers: string[], rawHeaders: readonly string[], { upgrade }: Forwarding): void {
  if (upgrade !== undefined) headers.push('Connection', 'Upgrade', 'Upgrade', upgrade);
  else if (valuesOf(rawHeaders, 'te').some(takesTrailers)) headers.push('TE', 'trailers');
}

function addClientHeaders(headers: string[], rawHeaders: readonly string[], { peer }: Forwarding): void {
  const address = plainAddress(peer.address);
  const ownProto = peer.isTls ? 'https' : 'http';
  const ownHost = onlyValueOf(rawHeaders, 'host') ?? '';
  if (!peer.isTrusted) {
    headers.push('X-Forwarded-For', address, 'X-Forwarded-Proto', ownProto, 'X-Forwarded-Host', ownHost);
    return;
  }
  const [proto = ownProto] = valuesOf(rawHeaders, 'x-forwarded-proto');
  const [host = ownHost] = valuesOf(rawHeaders, 'x-forwarded-host');
  const path = [...valuesOf(rawHeaders, 'x-forwarded-for'), address].join(', ');
  headers.push('X-Forwarded-For', path, 'X-Forwarded-Proto', proto, 'X-Forwarded-Host', host);
}

function addIdentityHeaders(headers: string[], forwarding: Forwarding): void {
  const { brand, workload, principal, requestId, traceparent } = forwarding;
  const names = brandedNames(brand);
  headers.push(names.workspace, workload.workspace, names.workload, workload.name);
  if (principal !== undefined) {
    headers.push(names.subject, principal.subject, names.subjectType, principal.subjectType);
  }
  headers.push('X-Request-Id', requestId, 'traceparent', traceparent);
}
