// The program that holds a network slot: it only sleeps. It is written byte by byte, so that a runner needs neither a
// compiler nor a registry to have it.

const headerBytes = 64;
const segmentHeaderBytes = 56;
const codeOffset = headerBytes + segmentHeaderBytes;
const loadAddress = 0x400000n;
const pageBytes = 0x1000n;

interface Machine {
  /** Value of the field e_machine of an ELF header. */
  readonly number: number;
  readonly code: Buffer;
}

const machines: Readonly<Record<string, Machine>> = {
  // loop: mov eax, 34 (pause); syscall; jmp loop
  x64: { number: 62, code: Buffer.from('b8220000000f05ebf7', 'hex') },
  // arm64 has no pause system call; ppoll on no files and without a timeout does the same.
  // loop: mov x0..x4, 0; mov x8, 73 (ppoll); svc 0; b loop
  arm64: {
    number: 183,
    code: littleEndianWords([
      0xd2800000, 0xd2800001, 0xd2800002, 0xd2800003, 0xd2800004, 0xd2800928, 0xd4000001, 0x17fffff9,
    ]),
  },
};

/** A static executable for Linux on the named architecture, as Node.js names it. */
export function slotProgram(architecture: string): Buffer {
  const machine = machines[architecture];
  if (machine === undefined) {
    throw new Error(`Berth has no slot program for ${architecture}. Run the runner on x64 or arm64.`);
  }
  const file = Buffer.alloc(codeOffset + machine.code.length);
  machine.code.copy(file, codeOffset);
  writeElfHeader(file, machine.number);
  writeSegmentHeader(file);
  return file;
}

function writeElfHeader(file: Buffer, machine: number): void {
  // 64 bits, little endian, version 1; then: an executable (2), for this machine, version 1.
  Buffer.from('7f454c46020101', 'hex').copy(file, 0);
  file.writeUInt16LE(2, 16);
  file.writeUInt16LE(machine, 18);
  file.writeUInt32LE(1, 20);
  // Entry point, and offset of the only segment header.
  file.writeBigUInt64LE(loadAddress + BigInt(codeOffset), 24);
  file.writeBigUInt64LE(BigInt(headerBytes), 32);
  file.writeUInt16LE(headerBytes, 52);
  file.writeUInt16LE(segmentHeaderBytes, 54);
  file.writeUInt16LE(1, 56);
}

/** The whole file is mapped to be read (4) and executed (1). */
function writeSegmentHeader(file: Buffer): void {
  file.writeUInt32LE(1, headerBytes);
  file.writeUInt32LE(4 + 1, headerBytes + 4);
  file.writeBigUInt64LE(0n, headerBytes + 8);
  file.writeBigUInt64LE(loadAddress, headerBytes + 16);
  file.writeBigUInt64LE(loadAddress, headerBytes + 24);
  file.writeBigUInt64LE(BigInt(file.length), headerBytes + 32);
  file.writeBigUInt64LE(BigInt(file.length), headerBytes + 40);
  file.writeBigUInt64LE(pageBytes, headerBytes + 48);
}

function littleEndianWords(words: readonly number[]): Buffer {
  const bytes = Buffer.alloc(words.length * 4);
  for (const [index, word] of words.entries()) bytes.writeUInt32LE(word, index * 4);
  return bytes;
}
