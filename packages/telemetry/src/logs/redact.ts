// Secrets are recognised by the name of the field that holds them, at any depth, and by two patterns inside text.
// Numbers and booleans stay: `inputTokens: 12` is a measurement.

const secretName =
  /(authorization|cookie|password|passphrase|secret|token|api[-_]?key|private[-_]?key|master[-_]?key|credential)s?$/i;
export const redacted = '[redacted]';
const maxDepth = 8;

function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (depth >= maxDepth) return '[too deep]';
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1));
  if (value instanceof Error) return redactError(value, depth);
  return redactFields(value, depth);
}

/** Returns the fields unchanged when none holds a possible secret, which is the usual case. */
export function redactLine(fields: Record<string, unknown>): Record<string, unknown> {
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    const isPlain =
      typeof value === 'string'
        ? !suspicious.test(value) && !isSecret(name)
        : !isObject(value) || (holdsNumbers(value) && !isSecret(name));
    if (!isPlain) return redactFields(fields);
  }
  return fields;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Most objects in lines are measurements. Errors have more than their own fields. */
function holdsNumbers(value: object): boolean {
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  for (const item of Object.values(value)) if (typeof item !== 'number') return false;
  return true;
}

function redactFields(fields: object, depth = 0): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    const isHidden = (typeof value === 'string' || isObject(value)) && isSecret(name);
    kept[name] = isHidden ? redacted : redact(value, depth + 1);
  }
  return kept;
}

// A cache for the names of our own fields, which repeat. It is bounded because callers choose some names.
const knownNames = new Map<string, boolean>();
const maxKnownNames = 1_000;

function isSecret(name: string): boolean {
  const known = knownNames.get(name);
  if (known !== undefined) return known;
  const found = secretName.test(name);
  if (knownNames.size < maxKnownNames) knownNames.set(name, found);
  return found;
}

function redactError(error: Error, depth: number): Record<string, unknown> {
  return {
    type: error.name,
    message: redactText(error.message),
    ...(error.stack === undefined ? {} : { stack: redactText(error.stack) }),
    ...redactFields(error, depth),
    ...(error.cause === undefined ? {} : { cause: redact(error.cause, depth + 1) }),
  };
}

/** Neither pattern matches a text without white space and `@`, so ids and names skip the replacement. */
const suspicious = /[\s@]/;

function redactText(text: string): string {
  if (!suspicious.test(text)) return text;
  return text
    .replace(/\b(bearer|basic)\s+[\w.~+/=-]+/gi, `$1 ${redacted}`)
    .replace(/(\w:\/\/[^\s:/@]*):[^\s/@]+@/g, `$1:${redacted}@`);
}
