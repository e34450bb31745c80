// Secrets are recognised by the name of the field that holds them, at any depth, and by two shapes inside text.
// Numbers and booleans stay: `inputTokens: 12` is a measurement.

const SECRET_NAME =
  /(authorization|cookie|password|passphrase|secret|token|api[-_]?key|private[-_]?key|master[-_]?key|credential)s?$/i;
export const REDACTED = '[redacted]';
const MAX_DEPTH = 8;

function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (depth >= MAX_DEPTH) return '[too deep]';
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1));
  if (value instanceof Error) return redactError(value, depth);
  return redactFields(value, depth);
}

export function redactFields(fields: object, depth = 0): Record<string, unknown> {
  const entries = Object.entries(fields).map(([name, value]) => {
    const secret = SECRET_NAME.test(name) && value !== null && ['string', 'object'].includes(typeof value);
    return [name, secret ? REDACTED : redact(value, depth + 1)];
  });
  return Object.fromEntries(entries);
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

function redactText(text: string): string {
  return text
    .replace(/\b(bearer|basic)\s+[\w.~+/=-]+/gi, `$1 ${REDACTED}`)
    .replace(/(\w:\/\/[^\s:/@]*):[^\s/@]+@/g, `$1:${REDACTED}@`);
}
