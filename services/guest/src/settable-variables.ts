// Rules for variables that may be set in a running guest, and the parser for the file of extra variables.
import { fixedVariables } from '@berth/contract/guest';

/** The kernel refuses to start a program with a longer `NAME=value`, so one such variable would stop every process. */
const maxVariableBytes = 128 * 1024 - 1;

const accountVariables = new Set(['HOME', 'USER', 'LOGNAME']);

export type SortedVariables = { accepted: ReadonlyMap<string, string>; skipped: readonly string[] };

/** `hasAccount`: processes run as a workload user, whose HOME, USER and LOGNAME no variable may change. */
export function sortVariables(pairs: Iterable<readonly [string, unknown]>, hasAccount: boolean): SortedVariables {
  const accepted = new Map<string, string>();
  const skipped: string[] = [];
  for (const [name, value] of pairs) {
    const isFixed = fixedVariables.includes(name) || (hasAccount && accountVariables.has(name));
    if (!isFixed && isSettable(name, value)) accepted.set(name, value);
    else skipped.push(name.slice(0, 128));
  }
  return { accepted, skipped };
}

function isSettable(name: string, value: unknown): value is string {
  if (typeof value !== 'string' || name === '') return false;
  if (/[=\0]/.test(name) || value.includes('\0')) return false;
  return Buffer.byteLength(name) + Buffer.byteLength(value) + 1 <= maxVariableBytes;
}

/** Parses `KEY\0VALUE\0…`. A value that is not UTF-8 or has no end is returned as undefined, and so skipped by name. */
export function parseExtraVariables(bytes: Buffer): [string, unknown][] {
  const parts: Buffer[] = [];
  let from = 0;
  for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, from)) {
    parts.push(bytes.subarray(from, end));
    from = end + 1;
  }
  const pairs: [string, unknown][] = [];
  for (let index = 0; index < parts.length; index += 2) {
    pairs.push([String(parts[index]), textOf(parts[index + 1])]);
  }
  // The file ends inside a name. A value that the file ends in may be incomplete; the loop returns it as undefined.
  if (parts.length % 2 === 0 && from < bytes.length) pairs.push([String(bytes.subarray(from)), undefined]);
  return pairs;
}

function textOf(bytes: Buffer | undefined): string | undefined {
  if (bytes === undefined) return undefined;
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : undefined;
}
