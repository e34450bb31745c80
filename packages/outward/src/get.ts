// A GET of an address that a tenant has chosen.
import type { IncomingMessage } from 'node:http';
import { createExchange, type ExchangeOptions } from './exchange.ts';
import { OutwardError } from './outward-error.ts';

export interface GetOptions extends ExchangeOptions {
  /** A larger body is an error. */
  readonly maxAnswerBytes?: number;
}

export interface GotAnswer {
  readonly status: number;
  /** Whole. */
  readonly body: string;
}

/** Throws `OutwardError` when there was no answer, or when its body is incomplete or too large. */
export type Get = (url: string, headers: Readonly<Record<string, string>>) => Promise<GotAnswer>;

export function createGet({ maxAnswerBytes = 4 * 1024 * 1024, ...options }: GetOptions = {}): Get {
  const exchange = createExchange(options);
  return (url, headers) =>
    exchange(
      url,
      { method: 'GET', headers: { 'accept-encoding': 'identity', ...headers } },
      async (answer): Promise<GotAnswer> => ({
        status: answer.statusCode ?? 0,
        body: await readWhole(answer, maxAnswerBytes),
      }),
    );
}

async function readWhole(answer: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new OutwardError('answer', `The answer is larger than ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
