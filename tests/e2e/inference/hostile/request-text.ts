// Requests as bytes, written as text with one byte per character.
import type { Dice } from './dice.ts';

/** One of the two tenants, as an attacker knows it. */
export interface Tenant {
  readonly workspace: string;
  /** Host name of its agent. */
  readonly host: string;
}

/** The sender, the tenant that it attacks, and a nonce that no other connection sends. */
export interface Attack {
  readonly own: Tenant;
  readonly other: Tenant;
  /** Header lines with the caller's credential: one or none. */
  readonly credential: readonly string[];
  readonly nonce: string;
  readonly dice: Dice;
}

export interface Parts {
  readonly method?: string;
  readonly target?: string;
  readonly version?: string;
  /** If present and undefined, the request has no Host header. */
  readonly host?: string | undefined;
  readonly lines?: readonly string[];
  readonly body?: string;
  readonly stays?: boolean;
}

export const agentPath = ({ workspace }: Tenant, rest = ''): string => `/${workspace}/agents/guarded${rest}`;

/**
 * A request that is well formed except for `parts`. By default it closes its connection, so that its end is seen soon.
 */
export function requestText(attack: Attack, parts: Parts = {}): string {
  const { method = 'GET', version = 'HTTP/1.1', lines = [], body = '', stays = false } = parts;
  const target = parts.target ?? agentPath(attack.own, `/${attack.nonce}`);
  const host = 'host' in parts ? parts.host : '127.0.0.1';
  const head = [
    `${method} ${target} ${version}`,
    ...(host === undefined ? [] : [`Host: ${host}`]),
    ...attack.credential,
    `X-Nonce: ${attack.nonce}`,
    ...(stays ? [] : ['Connection: close']),
    ...lines,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

/**
 * The request that a smuggler hides in a body: to the other tenant, by path or by host, with the smuggler's credential.
 */
export const hidden = (attack: Attack): string =>
  attack.dice.chance(0.5)
    ? requestText(attack, { target: agentPath(attack.other, `/${attack.nonce}`) })
    : requestText(attack, { target: `/${attack.nonce}`, host: attack.other.host });
