// A Node.js that runs in any image. The kernel takes the path of a program's loader from the program itself, so the
// path in the copy is overwritten with one inside the runtime folder. Starting the loader by hand with the program as
// its argument would work too, but then /proc/self/exe and process.execPath name the loader.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, copyFile, link, mkdir, mkdtemp, open, readdir, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { renameUnlessThere } from './rename-unless-there.ts';

/** Exists in the prepared folder only. */
export const hostProgram = 'host-node';
const mountedLoader = '/.berth/ld.so';
const programHeadersOffset = 32;
const headerBytesOffset = 54;
const headerCountOffset = 56;
const interpreterType = 3;

/** Made once per version of Node.js: Node.js is by far the largest part, and hard links to it cost nothing. */
export async function preparedNode(root: string): Promise<string> {
  const folder = join(root, `node-${process.version}-${hashOf(await readFile(import.meta.filename))}`);
  if (existsSync(folder)) return folder;
  const staging = await mkdtemp(join(root, 'node-making-'));
  try {
    const program = join(staging, 'node');
    await copyFile(process.execPath, program);
    const loader = await replaceLoader(program);
    await chmod(program, 0o755);
    // Unchanged copy for this machine itself: the original may be in a home that other accounts cannot enter.
    await copyFile(process.execPath, join(staging, hostProgram));
    await chmod(join(staging, hostProgram), 0o755);
    await copyFile(loader, join(staging, 'ld.so'));
    await mkdir(join(staging, 'lib'));
    for (const library of librariesOf(process.execPath))
      await copyFile(library, join(staging, 'lib', basename(library)));
    await chmod(staging, 0o755);
    await renameUnlessThere(staging, folder);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  return folder;
}

export async function linkNode(prepared: string, target: string): Promise<void> {
  await mkdir(join(target, 'lib'));
  for (const name of ['node', 'ld.so']) await link(join(prepared, name), join(target, name));
  for (const name of await readdir(join(prepared, 'lib')))
    await link(join(prepared, 'lib', name), join(target, 'lib', name));
}

/** Returns the previous loader. */
async function replaceLoader(program: string): Promise<string> {
  await using file = await open(program, 'r+');
  const read = async (offset: number, bytes: number) => (await file.read(Buffer.alloc(bytes), 0, bytes, offset)).buffer;
  const head = await read(0, 64);
  const headerBytes = head.readUInt16LE(headerBytesOffset);
  for (let index = 0; index < head.readUInt16LE(headerCountOffset); index++) {
    const headerOffset = Number(head.readBigUInt64LE(programHeadersOffset)) + index * headerBytes;
    const header = await read(headerOffset, headerBytes);
    if (header.readUInt32LE(0) !== interpreterType) continue;
    const offset = Number(header.readBigUInt64LE(8));
    const bytes = Number(header.readBigUInt64LE(32));
    const old = (await read(offset, bytes)).toString().replaceAll('\0', '');
    if (mountedLoader.length >= bytes)
      throw new Error(`${mountedLoader} is longer than ${old}, which it must replace in ${program}.`);
    await file.write(Buffer.from(mountedLoader.padEnd(bytes, '\0')), 0, bytes, offset);
    // Both lengths shrink too: not every kernel stops at the first NUL.
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(mountedLoader.length + 1));
    await file.write(length, 0, 8, headerOffset + 32);
    await file.write(length, 0, 8, headerOffset + 40);
    return old;
  }
  throw new Error(`${program} is linked statically or is no ELF file. Use the official build of Node.js.`);
}

export function librariesOf(program: string): string[] {
  const lines = execFileSync('ldd', [program], { encoding: 'utf8' });
  return [...lines.matchAll(/=> (\/\S+)/g)].map(([, path = '']) => path);
}

const hashOf = (text: Buffer) => createHash('sha256').update(text).digest('hex').slice(0, 8);
