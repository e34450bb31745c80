// A POST to an address that a tenant has chosen. Only the status of its answer is wanted.
import type { IncomingMessage } from 'node:http';
import { createExchange, type ExchangeOptions } from './exchange.ts';

export interface PostOptions extends ExchangeOptions {
  /** Bytes of the answer's body that are read. The connection is closed at the first byte beyond. */
  readonly maxAnswerBytes?: number;
}

export interface PostedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Resolves with the status of the answer. Throws `OutwardError` when there was none. */
export type Post = (url: string, request: PostedRequest) => Promise<number>;

export function createPost({ maxAnswerBytes = 64 * 1024, ...options }: PostOptions = {}): Post {
  const exchange = createExchange(options);
  return (url, { headers, body: text }) => {
    const body = Buffer.from(text);
    const sized = { ...headers, 'content-length': String(body.length) };
    return exchange(url, { method: 'POST', headers: sized, body }, async (answer) => {
      await readSome(answer, maxAnswerBytes);
      return answer.statusCode ?? 0;
    });
  };
}

/**
 * The status counts as soon as it is there: a body that breaks off, or never ends, does not change it. Some of the body is
 * read, because a receiver that is cut off while it writes its answer may take the request for failed.
 */
async function readSome(answer: IncomingMessage, maxBytes: number): Promise<void> {
  let bytes = 0;
  try {
    for await (const chunk of answer) {
      bytes += chunk.length;
      if (bytes > maxBytes) return;
    }
  } catch {
    // It broke off, or took too long.
  }
}
