import { getHeapStatistics } from 'node:v8';
import { bytesPerMb } from '@berth/contract/guest';
import type { z } from 'zod/mini';
import type { Call } from './call.ts';
import { Fault } from './fault.ts';

// Text and parsed value of a body are on the heap together, at worst two bytes a character. A small sandbox accepts
// less, because a body that does not fit would end the guest.
const defaultMaxBytes = Math.min(64 * bytesPerMb, Math.floor(getHeapStatistics().heap_size_limit / 5));

/** Reads the whole body, since it is JSON. Uploads are streamed and do not use this. */
export async function readBody(call: Call, maxBytes = defaultMaxBytes): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop must not destroy the connection: the refusal is sent on it.
  for await (const chunk of call.request.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > maxBytes) break;
    chunks.push(chunk);
  }
  if (size > maxBytes)
    throw new Fault(
      413,
      `The body is larger than ${maxBytes} bytes. Upload large files in parts (/filesystem-multipart).`,
    );
  return Buffer.concat(chunks);
}

/** Unknown keys are dropped: clients send more fields than they mean. */
export async function readJson<Schema extends z.ZodMiniType>(call: Call, schema: Schema): Promise<z.output<Schema>> {
  return parseJson(await readBody(call), schema);
}

export function parseJson<Schema extends z.ZodMiniType>(body: Buffer, schema: Schema): z.output<Schema> {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    throw new Fault(400, 'The body is not valid JSON.');
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.length ? `${issue.path.join('.')}: ` : '';
  throw new Fault(400, `The body does not fit: ${where}${issue?.message ?? 'invalid'}.`);
}
