// How large a request's body may be: JSON by its type, a part of a large file by where it goes.

export interface BodyLimits {
  readonly jsonBytes: number;
  readonly multipartPartBytes?: number;
}

/** Sees every chunk before it is sent on; false ends the request. */
type BodyGuard = (bytesSoFar: number, chunk: Buffer) => boolean;

export interface BodyLimit {
  readonly mostBytes: number;
  readonly guard: BodyGuard;
}

const json = /^\s*application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;
/** What a form adds around the one part that it holds. */
const formBytes = 16 * 1024;

/** Undefined: uploads are streams without a limit. */
export function bodyLimitFor(
  { jsonBytes, multipartPartBytes = Number.POSITIVE_INFINITY }: BodyLimits,
  contentType: string | undefined,
  isUploadPart: boolean,
): BodyLimit | undefined {
  if (isUploadPart) return limitOf(multipartPartBytes + formBytes);
  return contentType !== undefined && json.test(contentType) ? limitOf(jsonBytes) : undefined;
}

const limitOf = (mostBytes: number): BodyLimit => ({ mostBytes, guard: (bytesSoFar) => bytesSoFar <= mostBytes });
