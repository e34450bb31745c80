// Files of a sandbox.
import type {
  Change,
  ContentSearchAnswer,
  Directory,
  FindAnswer,
  PartReceipt,
  UploadInitiated,
} from '../generated/guest.ts';
import { jsonLines } from '../http/json-lines.ts';
import type { BodyStream } from '../http/transport.ts';
import { filePath, treePath } from './file-path.ts';
import type { Guest } from './guest.ts';

/** Content of a file; text is written as UTF-8. */
export type FileData = string | Uint8Array<ArrayBuffer> | Blob;

/** Options of a write. */
export interface WriteOptions {
  /** Octal, for new files: 0644 where left out. */
  readonly permissions?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called after each part with the bytes that are there. */
  readonly onProgress?: ((bytes: number) => void) | undefined;
}

/** Options of a search by name. */
export interface FindOptions {
  /** Patterns of the shell; every name where left out. */
  readonly patterns?: readonly string[] | undefined;
  /** Every file there is, with hidden ones; otherwise the first ones, without hidden ones and folders of dependencies. */
  readonly isWhole?: boolean | undefined;
}

/** A change in a watched folder. */
export interface FileEvent {
  /** CREATE, WRITE, REMOVE, RENAME, CHMOD, or ERROR where events were lost. */
  readonly op: string;
  /** Name of the item. */
  readonly name: string;
  /** Folder of the item. */
  readonly path: string;
  /** The reason of an ERROR. */
  readonly error: string | null;
}

/** Larger files are sent in parts, so that a break repeats one part alone. */
const partBytes = 8 * 1024 * 1024;
const partsAtOnce = 3;
/** The time for one part, or a whole download. */
const transferMs = 600_000;
const archiveType = 'application/x-tar';
const watchSilentMs = 90_000;

/** Files of a sandbox. Paths from `/` on are absolute, others are relative to the working directory, and `~/` is the home. */
export class Files {
  readonly #guest: Guest;

  constructor(guest: Guest) {
    this.#guest = guest;
  }

  /** Reads a whole file. */
  read(path: string, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
    return this.#guest.bytes({
      ...{ method: 'GET', path: `/filesystem${filePath(path)}?download=true`, signal, timeoutMs: transferMs },
      isRepeatable: true,
    });
  }

  /** Reads a whole file as UTF-8. */
  async readText(path: string, signal?: AbortSignal): Promise<string> {
    return new TextDecoder().decode(await this.read(path, signal));
  }

  /** Creates the file, with the folders above it, or replaces its content. */
  async write(path: string, data: FileData, options: WriteOptions = {}): Promise<void> {
    const blob = data instanceof Blob ? data : new Blob([data]);
    if (blob.size > partBytes) return this.#writeInParts(path, blob, options);
    await this.#guest.json<Change>({
      ...{ method: 'PUT', path: `/filesystem${filePath(path)}`, body: form(blob, options.permissions) },
      ...{ signal: options.signal, timeoutMs: transferMs, isRepeatable: true },
    });
    options.onProgress?.(blob.size);
  }

  /** Creates a folder, with those above it. */
  async makeFolder(path: string): Promise<void> {
    await this.#guest.json<Change>({
      ...{ method: 'PUT', path: `/filesystem${filePath(path)}`, json: { isDirectory: true } },
      isRepeatable: true,
    });
  }

  /** Files and folders of a folder. The path is absolute. */
  list(path: string, signal?: AbortSignal): Promise<Directory> {
    return this.#guest.json({ method: 'GET', path: `/filesystem/tree${treePath(path)}`, signal, isRepeatable: true });
  }

  /**
   * Writes what an archive (tar) holds below a folder. What is there and not in the archive is kept. The path is absolute. `open` is
   * called for each try.
   */
  async writeArchive(path: string, open: () => BodyStream, signal?: AbortSignal): Promise<void> {
    await this.#guest.json<Directory>({
      ...{ method: 'PUT', path: `/filesystem/tree${treePath(path)}`, headers: { 'content-type': archiveType } },
      ...{ body: open, signal, timeoutMs: transferMs, isRepeatable: true },
    });
  }

  /** All that is below a folder, as an archive (tar). Ends in an error where the connection breaks. The path is absolute. */
  async readArchive(path: string, signal?: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const { answer, close } = await this.#guest.stream({
      ...{ method: 'GET', path: `/filesystem/tree${treePath(path)}`, headers: { accept: archiveType }, signal },
      isRepeatable: true,
    });
    if (answer.body !== null) return answer.body;
    close();
    throw new Error('The answer has no body.');
  }

  /** Deletes a file or a folder. A folder with content needs `recursive`. */
  async remove(path: string, { recursive = false }: { recursive?: boolean } = {}): Promise<void> {
    const query = recursive ? '?recursive=true' : '';
    await this.#guest.json<Change>({
      ...{ method: 'DELETE', path: `/filesystem${filePath(path)}${query}` },
      // The second of two requests would find nothing to delete.
      isRepeatable: false,
    });
  }

  /** Finds files by patterns of the shell on their names, below a folder. */
  find(path: string, { patterns = ['*'], isWhole = false }: FindOptions = {}): Promise<FindAnswer> {
    const whole = { maxResults: '0', excludeHidden: 'false', excludeDirs: '' };
    const query = new URLSearchParams({ patterns: patterns.join(','), ...(isWhole && whole) });
    return this.#guest.json({
      ...{ method: 'GET', path: `/filesystem-find${filePath(path)}?${query}` },
      isRepeatable: true,
    });
  }

  /** Finds lines that hold a text, below a folder. */
  search(path: string, text: string): Promise<ContentSearchAnswer> {
    const query = new URLSearchParams({ query: text });
    return this.#guest.json({
      ...{ method: 'GET', path: `/filesystem-content-search${filePath(path)}?${query}` },
      isRepeatable: true,
    });
  }

  /** Changes of a folder, and with `recursive` of what is below it, from the moment on in which the first one is awaited. */
  async *watch(
    path: string,
    { recursive = false, signal }: { recursive?: boolean; signal?: AbortSignal } = {},
  ): AsyncGenerator<FileEvent> {
    const below = recursive ? '%2F**' : '';
    const opened = await this.#guest.stream({
      ...{ method: 'GET', path: `/watch/filesystem${filePath(path)}${below}`, signal },
      isRepeatable: true,
    });
    try {
      if (opened.answer.body === null) return;
      for await (const event of jsonLines(opened.answer.body, watchSilentMs)) yield event as FileEvent;
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      opened.close();
    }
  }

  async #writeInParts(path: string, blob: Blob, { permissions, signal, onProgress }: WriteOptions): Promise<void> {
    const { uploadId } = await this.#guest.json<UploadInitiated>({
      ...{ method: 'POST', path: `/filesystem-multipart/initiate${filePath(path)}` },
      ...{ json: permissions === undefined ? {} : { permissions }, signal, isRepeatable: true },
    });
    const upload = `/filesystem-multipart/${encodeURIComponent(uploadId)}`;
    try {
      const parts: { partNumber: number; etag: string }[] = [];
      const waiting = Array.from({ length: Math.ceil(blob.size / partBytes) }, (_, at) => at + 1);
      let sent = 0;
      const sendSome = async (): Promise<void> => {
        for (let number = waiting.shift(); number !== undefined; number = waiting.shift()) {
          const part = blob.slice((number - 1) * partBytes, number * partBytes);
          const { etag, size } = await this.#guest.json<PartReceipt>({
            ...{ method: 'PUT', path: `${upload}/part?partNumber=${number}`, body: form(part, undefined) },
            ...{ signal, timeoutMs: transferMs, isRepeatable: true },
          });
          parts.push({ partNumber: number, etag });
          sent += size;
          onProgress?.(sent);
        }
      };
      await Promise.all(Array.from({ length: partsAtOnce }, sendSome));
      const inOrder = parts.toSorted((one, other) => one.partNumber - other.partNumber);
      await this.#guest.json<Change>({
        ...{ method: 'POST', path: `${upload}/complete`, json: { parts: inOrder }, signal, timeoutMs: transferMs },
        isRepeatable: false,
      });
    } catch (error) {
      await this.#guest.json<Change>({ method: 'DELETE', path: `${upload}/abort`, isRepeatable: true }).catch(() => {});
      throw error;
    }
  }
}

function form(file: Blob, permissions: string | undefined): FormData {
  const data = new FormData();
  // Fields before the file: they are read in their order.
  if (permissions !== undefined) data.append('permissions', permissions);
  data.append('file', file, 'file');
  return data;
}
