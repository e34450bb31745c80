// Reads one file of output line by line from an offset. The file stays open while it is read: Docker may rotate it
// away meanwhile, and its end must still be found.
import { type FileHandle, open } from 'node:fs/promises';
import { bytesPerMb } from '@berth/contract/node';
import { type Segment, segmentId } from './log-source.ts';

/** Most reads find nothing or one line: a large buffer each time would be work for the garbage collector. */
const chunkBytes = { first: 4_096, more: 65_536 };
/** Docker's longest entry is far shorter; longer data without a line break is not an entry and is skipped. */
const maxLineBytes = 4 * bytesPerMb;
const lineBreak = 10;

export class SegmentFile {
  readonly id: string;
  readonly #file: FileHandle;
  #offset: number;
  #unread: Buffer = Buffer.alloc(0);

  /**
   * Undefined if the file is gone or its name now belongs to another file, which happens while Docker still rotates.
   */
  static async open({ id, path }: Segment, offset: number, isRotating: boolean): Promise<SegmentFile | undefined> {
    const file = await open(path, 'r').catch(() => undefined);
    if (file === undefined) return undefined;
    if (!isRotating || id === segmentId(await file.stat({ bigint: true }))) return new SegmentFile(id, file, offset);
    await file.close();
    return undefined;
  }

  private constructor(id: string, file: FileHandle, offset: number) {
    this.id = id;
    this.#file = file;
    this.#offset = offset;
  }

  /** Offset after the last line that was returned. */
  get offset(): number {
    return this.#offset;
  }

  /** Undefined while no complete line is there yet. */
  async nextLine(): Promise<string | undefined> {
    for (let bytes = chunkBytes.first; ; bytes = chunkBytes.more) {
      const end = this.#unread.indexOf(lineBreak);
      if (end !== -1) return this.#take(end);
      if (this.#unread.length > maxLineBytes) this.#take(this.#unread.length - 1);
      const position = this.#offset + this.#unread.length;
      const { buffer, bytesRead } = await this.#file.read(Buffer.allocUnsafe(bytes), 0, bytes, position);
      if (bytesRead === 0) return undefined;
      this.#unread = Buffer.concat([this.#unread, buffer.subarray(0, bytesRead)]);
    }
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  #take(end: number): string {
    const line = this.#unread.toString('utf8', 0, end);
    this.#unread = this.#unread.subarray(end + 1);
    this.#offset += end + 1;
    return line;
  }
}
