/**
 * Whether a read is answered with the file itself or with JSON. JSON is the default, because clients that send no
 * Accept header or a wildcard expect it.
 */
export function wantsBytes(accept: string | undefined, query: URLSearchParams): boolean {
  if (query.get('download') === 'true') return true;
  const types = (accept ?? '')
    .split(',')
    .map((part) => (part.split(';', 1)[0] ?? '').trim().toLowerCase())
    .filter((type) => type);
  if (types.includes('application/octet-stream')) return true;
  return types.length > 0 && !types.some((type) => jsonTypes.has(type));
}

const jsonTypes: ReadonlySet<string> = new Set(['*/*', 'application/*', 'application/json']);
