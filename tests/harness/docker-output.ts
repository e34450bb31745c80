/** Output of a container. Each piece has a header of 8 bytes with its stream and its length. */
export function demultiplexed(body: Buffer): string {
  const pieces: Buffer[] = [];
  for (let at = 0; at + 8 <= body.length; ) {
    const end = at + 8 + body.readUInt32BE(at + 4);
    pieces.push(body.subarray(at + 8, end));
    at = end;
  }
  return Buffer.concat(pieces).toString('utf8');
}
