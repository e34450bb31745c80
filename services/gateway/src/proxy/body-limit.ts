// How large a request's body may be, by its type. Parts of a multipart body get their own limit here.

export interface BodyLimits {
  readonly jsonBytes: number;
}

/** Sees every chunk before it is sent on; false ends the request. */
type BodyGuard = (bytesSoFar: number, chunk: Buffer) => boolean;

export interface BodyLimit {
  readonly mostBytes: number;
  readonly guard: BodyGuard;
}

const json = /^\s*application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

/** Undefined: uploads are streams without a limit. */
export function bodyLimitFor(limits: BodyLimits, contentType: string | undefined): BodyLimit | undefined {
  if (contentType === undefined || !json.test(contentType)) return undefined;
  const mostBytes = limits.jsonBytes;
  return { mostBytes, guard: (bytesSoFar) => bytesSoFar <= mostBytes };
}
