// The headers of a request as its workload gets them. What the platform says of a request stands in headers that nobody
// outside can set:
//   X-<Long>-Workspace, X-<Long>-Workload     names of the workload that was called
//   X-<Long>-Subject, X-<Long>-Subject-Type   who called, when it is known: user or service_account
//   X-<Long>-Subject-Id, X-<Long>-Auth-Method the same for sandboxes, whose API writes both into its audit log
//   X-Request-Id, traceparent                 of this request
//   X-Forwarded-For, -Proto, -Host            as the client reached us
//   X-Forwarded-Prefix                        what was taken off the path, for a port of a sandbox
// Tokens of previews are for us, on whichever host they arrive: they are taken out of cookies and of the address of the page.
// Everything else stays as it was sent, in its order and with its duplicates.
import { isIP } from 'node:net';
import type { Brand } from '@berth/contract';
import { type Principal, plainAddress } from '@berth/identity';
import { withoutHopByHop } from '../proxy/hop-by-hop.ts';
import type { Workload } from '../routing/route.ts';
import type { Target } from '../routing/target.ts';
import type { CredentialPlace } from './credential.ts';
import { withoutPreviewCookie, withoutPreviewToken } from './preview-credential.ts';
import { type BrandedNames, brandedNames, onlyValueOf, plainName, valuesOf } from './raw-headers.ts';

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
  readonly consumed: CredentialPlace | undefined;
  /** Behind a port of its own a sandbox has whatever its owner put there; without one it is the API inside it. */
  readonly target?: Pick<Target, 'port' | 'prefix'>;
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
    const passed = passedValue(plain, value, forwarding);
    if (passed !== undefined) headers.push(name, passed);
  }
  addConnectionHeaders(headers, rawHeaders, forwarding);
  addClientHeaders(headers, rawHeaders, forwarding);
  addIdentityHeaders(headers, forwarding);
  return headers;
}

/** Undefined when nothing is left of it. */
function passedValue(name: string, value: string, { brand, mcpSessionId }: Forwarding): string | undefined {
  if (name === 'cookie') return withoutPreviewCookie(value, brand);
  if (name === 'referer') return withoutPreviewToken(value, brand);
  return name === 'mcp-session-id' ? (mcpSessionId ?? value) : value;
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
  'x-forwarded-prefix',
  'expect',
]);
/** Read by the API inside a sandbox where ours are missing. */
const asIfOurs = new Set(['x-subject-id', 'x-subject-type']);

function keepsHeader(
  name: string,
  { prefix, threadId }: BrandedNames,
  { workload, consumed, peer, target }: Forwarding,
): boolean {
  if (name.startsWith(prefix)) return name === threadId && workload.kind === 'agent';
  const isGuestApi = workload.kind === 'sandbox' && target?.port === undefined;
  if (name === 'authorization') return consumed !== 'authorization' && !isGuestApi;
  if (isGuestApi && asIfOurs.has(name)) return false;
  return !replaced.has(name) && !name.startsWith('proxy-') && (peer.isTrusted || !aboutTheClient(name));
}

const takesTrailers = (value: string): boolean => /(^|,)\s*trailers\s*(,|$)/i.test(value);

/** Of what belongs to one connection, only this is asked for on the next one too. */
function addConnectionHeaders(headers: string[], rawHeaders: readonly string[], { upgrade }: Forwarding): void {
  if (upgrade !== undefined) headers.push('Connection', 'Upgrade', 'Upgrade', upgrade);
  else if (valuesOf(rawHeaders, 'te').some(takesTrailers)) headers.push('TE', 'trailers');
}

/** Who is behind an edge that is believed, and otherwise the peer itself. */
export function clientAddress(rawHeaders: readonly string[], peer: string, isTrusted: boolean): string {
  const told = isTrusted ? valuesOf(rawHeaders, 'x-forwarded-for').join(',').split(',').at(-1)?.trim() : undefined;
  return told === undefined || isIP(told) === 0 ? plainAddress(peer) : told;
}

function addClientHeaders(headers: string[], rawHeaders: readonly string[], { peer, target }: Forwarding): void {
  const address = plainAddress(peer.address);
  const ownProto = peer.isTls ? 'https' : 'http';
  const ownHost = onlyValueOf(rawHeaders, 'host') ?? '';
  const ownPrefix = target?.prefix ?? '';
  if (!peer.isTrusted) {
    headers.push('X-Forwarded-For', address, 'X-Forwarded-Proto', ownProto, 'X-Forwarded-Host', ownHost);
    if (ownPrefix !== '') headers.push('X-Forwarded-Prefix', ownPrefix);
    return;
  }
  const [proto = ownProto] = valuesOf(rawHeaders, 'x-forwarded-proto');
  const [host = ownHost] = valuesOf(rawHeaders, 'x-forwarded-host');
  const path = [...valuesOf(rawHeaders, 'x-forwarded-for'), address].join(', ');
  headers.push('X-Forwarded-For', path, 'X-Forwarded-Proto', proto, 'X-Forwarded-Host', host);
  const [edgePrefix = ''] = valuesOf(rawHeaders, 'x-forwarded-prefix');
  if (edgePrefix + ownPrefix !== '') headers.push('X-Forwarded-Prefix', edgePrefix + ownPrefix);
}

function addIdentityHeaders(headers: string[], forwarding: Forwarding): void {
  const { brand, workload, principal, requestId, traceparent } = forwarding;
  const names = brandedNames(brand);
  headers.push(names.workspace, workload.workspace, names.workload, workload.name);
  if (principal !== undefined) {
    const isSandbox = workload.kind === 'sandbox';
    headers.push(isSandbox ? names.subjectId : names.subject, principal.subject);
    headers.push(names.subjectType, principal.subjectType);
    if (isSandbox) headers.push(names.authMethod, 'api_key');
  }
  headers.push('X-Request-Id', requestId, 'traceparent', traceparent);
}
