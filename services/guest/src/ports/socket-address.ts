// Addresses as /proc/net writes them: words of 32 bits in the byte order of the machine, which is little-endian
// wherever the guest runs.

/** Bytes in network order: 4 or 16 of them. */
export function wordsOf(hex: string): Buffer {
  return Buffer.from(hex, 'hex').swap32();
}

export function isLoopback(bytes: Buffer): boolean {
  const ipv4 = ipv4Of(bytes);
  if (ipv4) return ipv4[0] === 127;
  return bytes.length === 16 && bytes.readBigUInt64BE(0) === 0n && bytes.readBigUInt64BE(8) === 1n;
}

export function addressText(bytes: Buffer): string {
  const ipv4 = ipv4Of(bytes);
  if (ipv4) return bytes.length === 4 ? ipv4.join('.') : `::ffff:${ipv4.join('.')}`;
  const parts = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16));
  return shortened(parts);
}

/** Also covers `::ffff:a.b.c.d`, an IPv4 address in IPv6 form. */
function ipv4Of(bytes: Buffer): number[] | undefined {
  if (bytes.length === 4) return [...bytes];
  const isMapped = bytes.length === 16 && bytes.readBigUInt64BE(0) === 0n && bytes.readUInt32BE(8) === 0xffff;
  return isMapped ? [...bytes.subarray(12)] : undefined;
}

function shortened(parts: readonly string[]): string {
  const runs = parts.join(':').match(/\b0(?::0\b)+/g) ?? [];
  const [longest] = runs.sort((a, b) => b.length - a.length);
  if (longest === undefined) return parts.join(':');
  const text = `:${parts.join(':')}:`.replace(`:${longest}:`, '::');
  return text === '::' ? text : text.replace(/^:(?!:)/, '').replace(/(?<!:):$/, '');
}
