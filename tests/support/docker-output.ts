/** What a container wrote: each piece has a head of 8 bytes, which stream, and how long. */
export function demultiplexed(body: Buffer): string {
  const pieces: Buffer[] = [];
  for (let at = 0; at + 8 <= body.length; ) {
    const end = at + 8 + body.readUInt32BE(at + 4);
    pieces.push(body.subarray(at + 8, end));
    at = end;
  }
  return Buffer.concat(pieces).toString('utf8');
}
