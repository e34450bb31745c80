export type Values = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A copy in which `path` holds `value`. */
export function withValue(values: Values, path: readonly string[], value: unknown): Values {
  const [key, ...rest] = path;
  if (key === undefined) return values;
  const inner = values[key];
  return { ...values, [key]: rest.length === 0 ? value : withValue(isRecord(inner) ? inner : {}, rest, value) };
}
