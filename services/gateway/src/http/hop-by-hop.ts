// Headers that belong to one connection and not to the message (RFC 9110 §7.6.1). Raw pairs in, raw pairs out: order,
// case and duplicates of all other headers stay.

const perConnection = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  // Trailers pass without the `Trailer` header: Node refuses the header on messages that it does not send in chunks.
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The length alone excludes most names. */
const lengths = new Set([...perConnection].map((name) => name.length));

/** Runs three times for every request, so it is a plain loop. `also` is one more name to leave out, in lower case. */
export function withoutHopByHop(raw: readonly string[], also?: string): string[] {
  const named = namedByConnection(raw);
  const kept: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] ?? '';
    if (named !== undefined || lengths.has(name.length) || name.length === also?.length) {
      const lower = name.toLowerCase();
      if (perConnection.has(lower) || lower === also || named?.has(lower)) continue;
    }
    kept.push(name, raw[at + 1] ?? '');
  }
  return kept;
}

export function* pairsOf(raw: readonly string[]): Generator<[name: string, value: string]> {
  for (let at = 0; at + 1 < raw.length; at += 2) yield [raw[at] ?? '', raw[at + 1] ?? ''];
}

/**
 * `Connection` may name further hop-by-hop headers. Headers that frame or address the message are never removed this
 * way.
 */
function namedByConnection(raw: readonly string[]): Set<string> | undefined {
  let named: Set<string> | undefined;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    if (raw[at]?.length !== 10 || raw[at]?.toLowerCase() !== 'connection') continue;
    named ??= new Set();
    for (const token of raw[at + 1]?.toLowerCase().split(',') ?? []) named.add(token.trim());
  }
  for (const name of ['host', 'content-length', 'content-type', 'authorization']) named?.delete(name);
  return named;
}
