// Request headers as the workload receives them. The platform describes a request in headers that a client cannot set:
//   X-<Long>-Workspace, X-<Long>-Workload     names of the workload that was called
//   X-<Long>-Subject, X-<Long>-Subject-Type   the caller, when known: user or service_account
//   X-<Long>-Subject-Id, X-<Long>-Auth-Method the same for sandboxes, whose API writes both into its audit log
//   X-Request-Id, traceparent                 of this request
//   X-Forwarded-For, -Proto, -Host            the address by which the client reached the gateway
//   X-Forwarded-Prefix                        prefix removed from the path, for a port of a sandbox
// Preview tokens are meant for the gateway on every host: they are removed from Cookie and Referer.
// All other headers stay as sent, in order and with duplicates.
import { isIP } from 'node:net';
import type { Brand } from '@berth/contract';
import { type Principal, plainAddress } from '@berth/identity';
import { withoutHopByHop } from './hop-by-hop.ts';
import { withoutPreviewCookie, withoutPreviewToken } from './preview-token.ts';
import { type BrandedNames, brandedNames, onlyValueOf, plainName, valuesOf } from './raw-headers.ts';

export interface Peer {
  readonly address: string;
  readonly isTls: boolean;
  /** True for a configured edge in front of the gateway. Its X-Forwarded headers are trusted. */
  readonly isTrusted: boolean;
}

type Caller = Pick<Principal, 'subject' | 'subjectType'>;

/** What a kind of workload does differently. */
export interface HeaderRules {
  /** The thread id is the only platform header that a client may set. */
  readonly keepsThreadId: boolean;
  /** Client headers, in lower case, that do not reach this port; undefined means the instance's main port. */
  withheld(port: number | undefined): ReadonlySet<string>;
  /** Adds the headers that name the caller. */
  addCaller(headers: string[], names: BrandedNames, caller: Caller): void;
}

export interface Forwarding {
  readonly brand: Brand;
  readonly workload: { readonly name: string; readonly workspace: string };
  readonly rules: HeaderRules;
  readonly principal: Caller | undefined;
  /** Place of the platform credential; it is not forwarded. */
  readonly consumed: 'branded' | 'authorization' | 'provider' | 'query' | undefined;
  /** With a port, the request goes to the owner's app in the sandbox; without one, to the API inside the sandbox. */
  readonly target?: { readonly port: number | undefined; readonly prefix: string | undefined };
  readonly peer: Peer;
  readonly requestId: string;
  readonly traceparent: string;
  /** The session id as the workload knows it; see mcp-session.ts. */
  readonly mcpSessionId?: string | undefined;
  /** Protocol to upgrade to, when this request asks for an upgrade and is allowed to. */
  readonly upgrade?: string | undefined;
}

/** Takes and returns names and values in turn. */
export function forwardedHeaders(rawHeaders: readonly string[], forwarding: Forwarding): string[] {
  const names = brandedNames(forwarding.brand);
  const sent = withoutHopByHop(rawHeaders);
  const withheld = forwarding.rules.withheld(forwarding.target?.port);
  const headers: string[] = [];
  for (let at = 0; at + 1 < sent.length; at += 2) {
    const name = sent[at] ?? '';
    const value = sent[at + 1] ?? '';
    const plain = plainName(name);
    if (!keepsHeader(plain, names, withheld, forwarding)) continue;
    const passed = passedValue(plain, value, forwarding);
    if (passed !== undefined) headers.push(name, passed);
  }
  addConnectionHeaders(headers, rawHeaders, forwarding);
  addClientHeaders(headers, rawHeaders, forwarding);
  addIdentityHeaders(headers, forwarding);
  return headers;
}

/** Undefined when the header becomes empty and is dropped. */
function passedValue(name: string, value: string, { brand, mcpSessionId }: Forwarding): string | undefined {
  if (name === 'cookie') return withoutPreviewCookie(value, brand);
  if (name === 'referer') return withoutPreviewToken(value, brand);
  return name === 'mcp-session-id' ? (mcpSessionId ?? value) : value;
}

const aboutTheClient = (name: string): boolean =>
  name.startsWith('x-forwarded-') || name === 'forwarded' || name === 'x-real-ip';
/** Headers that the gateway sets for every request; it answers `Expect` itself. */
const replaced = new Set([
  'x-request-id',
  'traceparent',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-host',
  'x-forwarded-prefix',
  'expect',
]);

function keepsHeader(
  name: string,
  { prefix, threadId }: BrandedNames,
  withheld: ReadonlySet<string>,
  { rules, consumed, peer }: Forwarding,
): boolean {
  if (name.startsWith(prefix)) return name === threadId && rules.keepsThreadId;
  if (withheld.has(name)) return false;
  if (name === 'authorization') return consumed !== 'authorization';
  return !replaced.has(name) && !name.startsWith('proxy-') && (peer.isTrusted || !aboutTheClient(name));
}

const takesTrailers = (value: string): boolean => /(^|,)\s*trailers\s*(,|$)/i.test(value);

/** Restores the only hop-by-hop headers that are meant for the workload too: an upgrade, or `TE: trailers`. */
function addConnectionHeaders(headers: string[], rawHeaders: readonly string[], { upgrade }: Forwarding): void {
  if (upgrade !== undefined) headers.push('Connection', 'Upgrade', 'Upgrade', upgrade);
  else if (valuesOf(rawHeaders, 'te').some(takesTrailers)) headers.push('TE', 'trailers');
}

/** Client address from a trusted edge (last entry of X-Forwarded-For), otherwise the address of the peer. */
export function clientAddress(rawHeaders: readonly string[], peer: string, isTrusted: boolean): string {
  const reported = isTrusted ? valuesOf(rawHeaders, 'x-forwarded-for').join(',').split(',').at(-1)?.trim() : undefined;
  return reported === undefined || isIP(reported) === 0 ? plainAddress(peer) : reported;
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
  const { brand, workload, rules, principal, requestId, traceparent } = forwarding;
  const names = brandedNames(brand);
  headers.push(names.workspace, workload.workspace, names.workload, workload.name);
  if (principal !== undefined) rules.addCaller(headers, names, principal);
  headers.push('X-Request-Id', requestId, 'traceparent', traceparent);
}
