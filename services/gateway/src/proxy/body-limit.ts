// Size limit of a request body: for JSON by its content type, for a part of a large upload by its path.

export interface BodyLimits {
  readonly jsonBytes: number;
  readonly multipartPartBytes?: number;
}

/** Called for every chunk before it is forwarded; false ends the request. */
type BodyGuard = (bytesSoFar: number, chunk: Buffer) => boolean;

export interface BodyLimit {
  readonly maxBytes: number;
  readonly guard: BodyGuard;
}

const json = /^\s*application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;
/** Allowance for the form encoding around the single part in it. */
const formBytes = 16 * 1024;

/** Undefined means no limit: other uploads are streamed. */
export function bodyLimitFor(
  { jsonBytes, multipartPartBytes = Number.POSITIVE_INFINITY }: BodyLimits,
  contentType: string | undefined,
  isUploadPart: boolean,
): BodyLimit | undefined {
  if (isUploadPart) return limitOf(multipartPartBytes + formBytes);
  return contentType !== undefined && json.test(contentType) ? limitOf(jsonBytes) : undefined;
}

const limitOf = (maxBytes: number): BodyLimit => ({
  maxBytes: maxBytes,
  guard: (bytesSoFar) => bytesSoFar <= maxBytes,
});
