// A network namespace of the run with one wire (veth pair) to the outside, at whose outer end it reaches this machine.
import { execFileSync } from 'node:child_process';

export interface Wire {
  /** Name of the namespace. */
  readonly namespace: string;
  /** Name of the outer end. */
  readonly wire: string;
  readonly outside: string;
  readonly address: string;
}

/** Name of the inner end. */
const peer = 'out0';

export function connectNamespace({ namespace, wire, outside, address }: Wire): void {
  ip('netns', 'add', namespace);
  ip('link', 'add', wire, 'type', 'veth', 'peer', 'name', peer, 'netns', namespace);
  ip('addr', 'add', `${outside}/30`, 'dev', wire);
  ip('link', 'set', wire, 'up');
  ip('-n', namespace, 'addr', 'add', `${address}/30`, 'dev', peer);
  for (const device of [peer, 'lo']) ip('-n', namespace, 'link', 'set', device, 'up');
  ip('-n', namespace, 'route', 'add', 'default', 'via', outside);
}

/** Name of both ends of a wire between two namespaces. */
const between = 'near0';

/** A wire between two namespaces, on which each reaches the address of the other. Its own addresses are those of `number`. */
export function connectNamespaces(ends: readonly [NamespaceEnd, NamespaceEnd], number: number): void {
  const [one, other] = ends;
  ip(
    ...['link', 'add', between, 'netns', one.namespace],
    ...['type', 'veth', 'peer', 'name', between, 'netns', other.namespace],
  );
  const [near, far] = wireAddresses(number);
  const sides = [
    { namespace: one.namespace, own: near, via: far, to: other.address },
    { namespace: other.namespace, own: far, via: near, to: one.address },
  ];
  for (const { namespace, own } of sides) {
    ip('-n', namespace, 'addr', 'add', `${own}/30`, 'dev', between);
    ip('-n', namespace, 'link', 'set', between, 'up');
  }
  for (const { namespace, via, to } of sides) ip('-n', namespace, 'route', 'add', `${to}/32`, 'via', via);
}

interface NamespaceEnd {
  readonly namespace: string;
  readonly address: string;
}

/**
 * Addresses of both ends of a wire, from 198.18.0.0/15. Concurrent runs differ by their pid, machines by their number.
 */
export function wireAddresses(number: number): [outside: string, inside: string] {
  const first = ((process.pid % 4096) * 8 + number) * 4;
  const at = (offset: number): string =>
    [198, 18 + ((first + offset) >> 16), ((first + offset) >> 8) & 255, (first + offset) & 255].join('.');
  return [at(1), at(2)];
}

const ip = (...args: string[]): void => void execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] });
