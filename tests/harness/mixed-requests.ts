// Requests of every shape to an echo agent, each with a check of its answer.
import { createHash } from 'node:crypto';
import type { Sent, Tried } from './try-once.ts';

export interface Mixed extends Sent {
  readonly shape: 'get' | 'post' | 'stream' | 'upload';
  /** Undefined if the answer is complete and right. */
  fault(answer: Extract<Tried, { end: 'answer' }>): string | undefined;
}

export interface MixOptions {
  readonly workspace: string;
  readonly key: string;
  readonly random: () => number;
}

const uploadBytes = 512 * 1024;
const noise = Buffer.alloc(uploadBytes, 'the same bytes again and again ');

export function mixedRequest({ workspace, key, random }: MixOptions): Mixed {
  const base = `/${workspace}/agents/echo`;
  const headers = { authorization: `Bearer ${key}` };
  const what = random();
  const mark = Math.floor(random() * 2 ** 31).toString(36);
  if (what < 0.04) return stream(base, headers, 10 + Math.floor(random() * 20));
  if (what < 0.1) return upload(base, headers, noise.subarray(0, Math.ceil(random() * uploadBytes)));
  if (what < 0.4) return post(base, headers, mark);
  return {
    ...{ shape: 'get', method: 'GET', path: `${base}/${mark}`, headers },
    fault: ({ body }) => differs(read(body).url, `/${mark}`),
  };
}

/** The word of the instance that answered. */
export const wordOf = ({ headers }: Extract<Tried, { end: 'answer' }>): string => String(headers['x-word'] ?? '');

function stream(base: string, headers: Sent['headers'], count: number): Mixed {
  const events = Array.from({ length: count }, (_, index) => `data: ${index}\n\n`).join('');
  return {
    ...{ shape: 'stream', method: 'GET', path: `${base}/events?count=${count}&pause=100`, headers },
    fault: ({ body }) => differs(body.toString(), events),
  };
}

function upload(base: string, headers: Sent['headers'], body: Buffer): Mixed {
  const expected = `${body.length} ${createHash('sha256').update(body).digest('hex')}`;
  return {
    ...{ shape: 'upload', method: 'POST', path: `${base}/upload`, body },
    headers: { ...headers, 'content-type': 'application/octet-stream' },
    fault: (answer) => differs(`${read(answer.body).bytes} ${read(answer.body).sha256}`, expected),
  };
}

function post(base: string, headers: Sent['headers'], mark: string): Mixed {
  const body = JSON.stringify({ inputs: mark });
  return {
    ...{ shape: 'post', method: 'POST', path: base, body: Buffer.from(body) },
    headers: { ...headers, 'content-type': 'application/json', 'content-length': String(body.length) },
    fault: (answer) => differs(read(answer.body).body, body),
  };
}

const differs = (found: unknown, expected: string): string | undefined =>
  found === expected ? undefined : `${String(found).slice(0, 200)} instead of ${expected.slice(0, 200)}`;

const read = (body: Buffer): Record<string, unknown> => JSON.parse(body.toString());
