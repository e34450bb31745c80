// Node's parser is strict about where a message ends. Messages that it accepts but another server may read differently
// are refused here, so that two servers can never see two different requests in the same bytes (request smuggling).

/** True when the length of the message is given in at most one way, and unambiguously. */
export function isPlainlyFramed(raw: readonly string[]): boolean {
  let lengths = 0;
  let encodings = 0;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] ?? '';
    const value = raw[at + 1] ?? '';
    // Runs for every request, so other names are excluded by their length alone.
    const lower = name.length === 14 || name.length === 17 ? name.toLowerCase() : '';
    if (lower === 'content-length') {
      lengths += 1;
      if (!/^\d+$/.test(value)) return false;
    } else if (lower === 'transfer-encoding') {
      encodings += 1;
      if (value.toLowerCase() !== 'chunked') return false;
    }
  }
  return lengths + encodings <= 1;
}
