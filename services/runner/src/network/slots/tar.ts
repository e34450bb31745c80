const blockBytes = 512;
const checksumOffset = 148;
const checksumBytes = 8;

/** An archive in the format ustar with one executable file that belongs to root. Names are at most 100 bytes. */
export function tarOf(name: string, content: Buffer): Buffer {
  const padding = Buffer.alloc((blockBytes - (content.length % blockBytes)) % blockBytes);
  // Two empty blocks end an archive.
  return Buffer.concat([tarHeader(name, content.length), content, padding, Buffer.alloc(2 * blockBytes)]);
}

/** Header block of a file. */
export function tarHeader(name: string, size: number): Buffer {
  if (Buffer.byteLength(name) > 100) throw new Error(`The name ${name} is too long for an archive.`);
  const block = Buffer.alloc(blockBytes);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');
  block.write(name, 0);
  block.write(octal(0o755, 7), 100);
  block.write(octal(0, 7), 108);
  block.write(octal(0, 7), 116);
  block.write(octal(size, 11), 124);
  // Modification time: the same in every archive, so that the same content gives the same image.
  block.write(octal(0, 11), 136);
  block.write('0', 156);
  block.write('ustar\u000000', 257);
  // The checksum is computed with its own field filled with blanks.
  block.fill(' ', checksumOffset, checksumOffset + checksumBytes);
  const sum = block.reduce((all, byte) => all + byte, 0);
  block.write(`${octal(sum, 6)}\u0000 `, checksumOffset);
  return block;
}
