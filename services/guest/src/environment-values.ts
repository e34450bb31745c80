// Which variables may be set in a running guest, and how the file of extra ones is read.

/** The kernel refuses to start any program with a longer `NAME=value`: one such variable would stop them all. */
const MOST_VARIABLE_BYTES = 128 * 1024 - 1;

/** What the guest stands on. A sandbox's own variables must not replace the runner's key or move the state folder. */
const FIXED_NAMES = new Set([
  'SANDBOX_CONTROL_KEY',
  'SANDBOX_INSTANCE_ID',
  'SANDBOX_LOG_DIR',
  'SANDBOX_RUNTIME',
  'SANDBOX_BRAND',
  'SANDBOX_WORKLOAD_USER',
]);
const ACCOUNT_NAMES = new Set(['HOME', 'USER', 'LOGNAME']);

export type Sorted = { good: ReadonlyMap<string, string>; skipped: readonly string[] };

/** `hasAccount`: processes run as an account of their own, whose names are not for a variable to change. */
export function sortVariables(pairs: Iterable<readonly [string, unknown]>, hasAccount: boolean): Sorted {
  const good = new Map<string, string>();
  const skipped: string[] = [];
  for (const [name, value] of pairs) {
    const isFixed = FIXED_NAMES.has(name) || (hasAccount && ACCOUNT_NAMES.has(name));
    if (!isFixed && isSettable(name, value)) good.set(name, value);
    else skipped.push(name.slice(0, 128));
  }
  return { good, skipped };
}

function isSettable(name: string, value: unknown): value is string {
  if (typeof value !== 'string' || name === '') return false;
  if (/[=\0]/.test(name) || value.includes('\0')) return false;
  return Buffer.byteLength(name) + Buffer.byteLength(value) + 1 <= MOST_VARIABLE_BYTES;
}

/** `KEY\0VALUE\0…`. What is not UTF-8, or not ended, is given back as no text, so that it is skipped by name. */
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
  // A value that the file ends in may be half a value.
  if (parts.length % 2 === 0 && from < bytes.length) pairs.push([String(bytes.subarray(from)), undefined]);
  return pairs;
}

function textOf(bytes: Buffer | undefined): string | undefined {
  if (bytes === undefined) return undefined;
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : undefined;
}
