// Open uploads. All of their state is files (upload-folder.ts), so they survive a restart of the guest. Only one guest
// runs at a time, so the right to end an upload is decided in memory.
import { randomUUID } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { bytesPerMb, type MultipartUpload, type PartReceipt, type UploadedPart } from '@berth/contract/guest';
import { copyBytes } from '../files/copy-bytes.ts';
import { type StagedFile, stageFile } from '../files/stage-file.ts';
import { withFaults } from '../files/system-fault.ts';
import type { UnfinishedTransfers } from '../files/unfinished-transfers.ts';
import { Fault, systemCode } from '../http/fault.ts';
import { openPart, receivePart } from './part-file.ts';
import {
  deleteGivenUp,
  giveUpFolder,
  isGivenUp,
  makeUploadFolder,
  readRecord,
  storedParts,
  type UploadRecord,
} from './upload-folder.ts';

const copyChunkBytes = bytesPerMb;
const maxIdleMs = 24 * 60 * 60 * 1000;
const uploadIdPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export type WantedPart = { partNumber: number; etag: string };

export type UploadsOptions = { folder: string; unfinished?: UnfinishedTransfers; now?: () => number };

export class Uploads {
  readonly #folder: string;
  readonly #unfinished: UnfinishedTransfers | undefined;
  readonly #now: () => number;
  /** Uploads being completed, aborted or swept: they accept neither parts nor a second end. */
  readonly #ending = new Set<string>();
  /** Number of parts being received for each upload: such an upload is not idle. */
  readonly #receiving = new Map<string, number>();

  constructor({ folder, unfinished, now = Date.now }: UploadsOptions) {
    this.#folder = folder;
    this.#unfinished = unfinished;
    this.#now = now;
  }

  async initiate(path: string, permissions: number): Promise<UploadRecord> {
    const uploadId = randomUUID();
    const record = { uploadId, path, initiatedAt: new Date(this.#now()).toISOString(), permissions };
    await withFaults('write', 'the record of the upload', () => makeUploadFolder(this.#pathOf(uploadId), record));
    return record;
  }

  async find(uploadId: string): Promise<UploadRecord> {
    const record = uploadIdPattern.test(uploadId) ? await readRecord(this.#pathOf(uploadId)) : undefined;
    if (record === undefined) throw unknownUpload(uploadId);
    return record;
  }

  async list(): Promise<MultipartUpload[]> {
    const uploads: MultipartUpload[] = [];
    for (const id of (await this.#names()).filter((name) => uploadIdPattern.test(name))) {
      const record = await readRecord(this.#pathOf(id));
      if (record === undefined) continue;
      const parts = (await storedParts(this.#pathOf(id))).map((part) => [String(part.partNumber), part]);
      uploads.push({ ...record, parts: Object.fromEntries(parts) });
    }
    return uploads.sort((a, b) => (a.initiatedAt < b.initiatedAt ? -1 : 1));
  }

  async parts(uploadId: string): Promise<UploadedPart[]> {
    await this.find(uploadId);
    return storedParts(this.#pathOf(uploadId));
  }

  /** `feed` writes the bytes and rejects when they end too early. */
  async receive(
    uploadId: string,
    partNumber: number,
    feed: (write: (bytes: Buffer) => Promise<void>) => Promise<void>,
  ): Promise<PartReceipt> {
    await this.find(uploadId);
    this.#refuseWhileEnding(uploadId);
    this.#receiving.set(uploadId, (this.#receiving.get(uploadId) ?? 0) + 1);
    try {
      return await this.#unknownIfMissing(uploadId, async () => {
        const part = await receivePart(this.#pathOf(uploadId), partNumber);
        try {
          await feed((bytes) => part.write(bytes));
          return { partNumber, ...(await part.keep()) };
        } finally {
          await part.discard();
        }
      });
    } finally {
      const left = (this.#receiving.get(uploadId) ?? 1) - 1;
      if (left > 0) this.#receiving.set(uploadId, left);
      else this.#receiving.delete(uploadId);
    }
  }

  /** The upload stays open when anything is wrong with its parts or its target. */
  async complete(uploadId: string, wanted: readonly WantedPart[]): Promise<UploadRecord> {
    const record = await this.find(uploadId);
    this.#refuseWhileEnding(uploadId);
    this.#ending.add(uploadId);
    try {
      const ordered = wanted.toSorted((a, b) => a.partNumber - b.partNumber);
      // All parts are checked before the first byte is written: a wrong list costs nothing.
      for (const one of ordered) await this.#withPart(uploadId, one, async () => {});
      await withFaults('write', record.path, async () => this.#assemble(record, ordered));
      await giveUpFolder(this.#pathOf(uploadId));
      return record;
    } finally {
      this.#ending.delete(uploadId);
    }
  }

  async abort(uploadId: string): Promise<void> {
    await this.find(uploadId);
    if (!(await this.#giveUp(uploadId))) throw unknownUpload(uploadId);
  }

  /** Deletes uploads that were idle for a day, and uploads that an earlier guest had given up before it died. */
  async sweep(): Promise<void> {
    for (const name of await this.#names()) {
      if (isGivenUp(name)) await deleteGivenUp(this.#pathOf(name));
      else if (await this.#isIdle(name)) await this.#giveUp(name);
    }
  }

  async #isIdle(uploadId: string): Promise<boolean> {
    // A part that appears or is replaced changes the modification time of its folder.
    const stats = await stat(this.#pathOf(uploadId)).catch(() => undefined);
    if (this.#receiving.has(uploadId) || this.#ending.has(uploadId)) return false;
    return stats !== undefined && this.#now() - stats.mtimeMs > maxIdleMs;
  }

  /** False when another request did it first; throws a Fault while another request is ending it. */
  async #giveUp(uploadId: string): Promise<boolean> {
    this.#refuseWhileEnding(uploadId);
    this.#ending.add(uploadId);
    try {
      return await giveUpFolder(this.#pathOf(uploadId));
    } finally {
      this.#ending.delete(uploadId);
    }
  }

  async #assemble({ uploadId, path, permissions }: UploadRecord, ordered: readonly WantedPart[]): Promise<void> {
    const staged: StagedFile = await stageFile(path, this.#unfinished);
    const buffer = Buffer.allocUnsafe(copyChunkBytes);
    try {
      for (const one of ordered) {
        await this.#withPart(uploadId, one, async ({ handle, part }) => {
          const copied = await copyBytes(handle, part.size, (bytes) => staged.write(bytes), buffer);
          if (copied < part.size) throw wrongPart(one, 'has lost bytes on the disk');
        });
      }
      await staged.commit(permissions);
    } finally {
      await staged.discard();
    }
  }

  /** Keeps the part open, so that it matches its tag even when it is sent again meanwhile. */
  async #withPart(
    uploadId: string,
    wanted: WantedPart,
    use: (stored: Awaited<ReturnType<typeof openPart>>) => Promise<void>,
  ): Promise<void> {
    const stored = await openPart(this.#pathOf(uploadId), wanted.partNumber).catch((error: unknown) => {
      throw systemCode(error) === 'ENOENT' ? wrongPart(wanted, 'was never received') : error;
    });
    try {
      if (stored.part.etag !== plainTag(wanted.etag)) throw wrongPart(wanted, `has the etag ${stored.part.etag}`);
      await use(stored);
    } finally {
      await stored.handle.close();
    }
  }

  #pathOf(name: string): string {
    return join(this.#folder, name);
  }

  async #names(): Promise<string[]> {
    return readdir(this.#folder).catch(() => []);
  }

  #refuseWhileEnding(uploadId: string): void {
    if (!this.#ending.has(uploadId)) return;
    throw new Fault(409, `Upload ${uploadId} is being completed or aborted by another request. Wait for that to end.`);
  }

  /** A missing folder means that the upload was given up while the part was arriving. */
  async #unknownIfMissing<T>(uploadId: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw systemCode(error) === 'ENOENT' ? unknownUpload(uploadId) : error;
    }
  }
}

const plainTag = (etag: string) => etag.replaceAll('"', '').toLowerCase();

const unknownUpload = (uploadId: string) =>
  new Fault(404, `There is no open upload ${uploadId}. GET /filesystem-multipart lists those that are open.`);

const wrongPart = ({ partNumber, etag }: WantedPart, fact: string) =>
  new Fault(409, `Part ${partNumber} (${etag}) ${fact}. Send it again, then complete with the etag of that answer.`);
