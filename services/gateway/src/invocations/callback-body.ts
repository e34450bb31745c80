// Body of the callback of a call, control-plane sheet 4.4.
import type { RunAnswer } from './judge-run.ts';

/** Of an answer; further bytes are counted and not told. */
export const maxToldBytes = 256 * 1024;

interface EndedCall {
  readonly id: string;
  /** Undefined when nobody knows what the agent did. */
  readonly answer: RunAnswer | undefined;
  readonly endedAt: Date;
}

export function callbackBody({ id, answer, endedAt }: EndedCall): string {
  const { status, body, bytes } = answer ?? { status: 0, body: Buffer.alloc(0), bytes: 0 };
  const text = textOf(body, bytes > body.length);
  return JSON.stringify({
    status_code: status,
    response_body: text ?? body.toString('base64'),
    ...(text === undefined ? { response_encoding: 'base64' } : {}),
    response_length: bytes,
    timestamp: Math.floor(endedAt.getTime() / 1_000),
    invocation_id: id,
  });
}

/** Undefined for bytes that are no text. A cut may be within a character, which is left out then. */
function textOf(bytes: Buffer, isCut: boolean): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: isCut });
  } catch {
    return undefined;
  }
}
