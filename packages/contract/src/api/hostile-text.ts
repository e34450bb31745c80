// Refuses text and structures that later components cannot store, with a reason.

const maxDepth = 64;

/** Returns a reason when the value contains NUL, broken Unicode or too deep nesting; undefined when it is fine. */
export function hostileReason(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'string') return textReason(value);
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth >= maxDepth) return `The body nests deeper than ${maxDepth} levels.`;
  const entries = Array.isArray(value) ? value.map((item: unknown) => ['', item] as const) : Object.entries(value);
  for (const [key, item] of entries) {
    const reason = textReason(key) ?? hostileReason(item, depth + 1);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function textReason(text: string): string | undefined {
  if (text.includes('\0')) return 'Text may not hold the character U+0000.';
  return text.isWellFormed() ? undefined : 'Text holds half of a surrogate pair; send well-formed Unicode.';
}
