// What an answer repeats of its request is not stored beside it: a request that comes again brings it along, since only the
// same body gets the stored answer. Without this, an execution of 32 MiB would be kept twice.
import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../resources/json.ts';

/** Names the fields that were left out; no answer of the interface has a field of this name. */
const marker = '$echoed';

/** Fields below this size are not worth it. */
const smallBytes = 1_024;

export function withoutEchoes(answer: unknown, body: unknown): unknown {
  if (!isObject(answer) || !isObject(body)) return answer;
  const echoed = Object.keys(answer).filter((field) => isEcho(answer[field], body[field]));
  if (echoed.length === 0) return answer;
  const emptied = Object.fromEntries(echoed.map((field) => [field, null]));
  return { ...answer, ...emptied, [marker]: echoed };
}

const isEcho = (said: unknown, asked: unknown): boolean =>
  typeof asked === 'object' &&
  asked !== null &&
  isDeepStrictEqual(said, asked) &&
  JSON.stringify(asked).length > smallBytes;

/** The answer as it was given, its fields in the same order. */
export function withEchoes(stored: unknown, body: unknown): unknown {
  if (!isObject(stored) || !isObject(body) || !Array.isArray(stored[marker])) return stored;
  const { [marker]: echoed, ...answer } = stored;
  const brought = Array.isArray(echoed) ? echoed.map((field) => [field, body[String(field)]]) : [];
  return { ...answer, ...Object.fromEntries(brought) };
}
