// Fields of a response that repeat the request body are not stored with the idempotency row: only a request with the
// same body gets the stored response, so the fields are restored from it. Otherwise an execution of 32 MiB would be
// stored twice.
import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../json.ts';

/** Lists the omitted fields in the stored response. No response of the API has a field of this name. */
const marker = '$echoed';

/** Smaller fields are stored as they are. */
const smallBytes = 1_024;

export function withoutEchoes(answer: unknown, body: unknown): unknown {
  if (!isObject(answer) || !isObject(body)) return answer;
  const echoed = Object.keys(answer).filter((field) => isEcho(answer[field], body[field]));
  if (echoed.length === 0) return answer;
  const emptied = Object.fromEntries(echoed.map((field) => [field, null]));
  return { ...answer, ...emptied, [marker]: echoed };
}

const isEcho = (answered: unknown, sent: unknown): boolean =>
  typeof sent === 'object' &&
  sent !== null &&
  isDeepStrictEqual(answered, sent) &&
  JSON.stringify(sent).length > smallBytes;

/** Restores the response as it was sent, with its fields in the same order. */
export function withEchoes(stored: unknown, body: unknown): unknown {
  if (!isObject(stored) || !isObject(body) || !Array.isArray(stored[marker])) return stored;
  const { [marker]: echoed, ...answer } = stored;
  const restored = Array.isArray(echoed) ? echoed.map((field) => [field, body[String(field)]]) : [];
  return { ...answer, ...Object.fromEntries(restored) };
}
