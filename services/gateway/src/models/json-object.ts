// Reads and edits the fields of a JSON object in its text. Pure.
import { isUtf8 } from 'node:buffer';
import { GatewayError } from '../errors/gateway-error.ts';

/** Bytes that are no UTF-8 are refused: a provider may read other text from them. */
export function requireObject(body: Buffer): void {
  try {
    if (isUtf8(body) && body[skipSpace(body, 0)] === openBrace) {
      JSON.parse(body.toString());
      return;
    }
  } catch {
    // Not JSON.
  }
  throw refusal('The body is not a JSON object. Send one as the API of the provider describes it.');
}

interface Field {
  readonly start: number;
  /** The value. */
  readonly text: Buffer;
}

/** By their decoded names, in the order of the text. */
export type JsonFields = ReadonlyMap<string, Field>;

/**
 * Reads an object in valid JSON. Each key and value is parsed by itself, because JSON.parse of V8 13.6 confuses keys with
 * escapes inside objects. Parsers disagree on which of two equal keys counts, and some of them compare the names that they
 * know without case: both would let a client name a model that is not checked.
 */
export function readFields(json: Buffer, names: readonly string[]): JsonFields {
  const fields = new Map<string, Field>();
  let at = skipSpace(json, json.indexOf(openBrace) + 1);
  while (json[at] !== closeBrace) {
    const keyEnd = endOfText(json, at);
    const key = String(JSON.parse(json.toString('utf8', at, keyEnd)));
    const start = skipSpace(json, json.indexOf(colon, keyEnd) + 1);
    const text = json.subarray(start, endOfValue(json, start));
    if (fields.has(key)) throw refusal(`The field "${shortened(key)}" stands twice in the same object. Send it once.`);
    const folded = foldCase(key);
    if (folded !== key && names.includes(folded)) throw refusal(`The field "${key}" has to be written as "${folded}".`);
    fields.set(key, { start, text });
    if (fields.size > maxFields) throw refusal(`An object has more than ${maxFields} fields. Send fewer.`);
    at = skipSpace(json, start + text.length);
    if (json[at] === comma) at = skipSpace(json, at + 1);
  }
  return fields;
}

export function readValue(fields: JsonFields, name: string): unknown {
  const field = fields.get(name);
  return field === undefined ? undefined : JSON.parse(field.text.toString());
}

/** Each field is parsed by itself, so very many would keep all other requests waiting. */
const maxFields = 1_000;

/** In both directions: parsers that ignore case take the long ſ, which has no lower case, for an s. */
const foldCase = (key: string): string => key.toUpperCase().toLowerCase();

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

function skipSpace(json: Buffer, from: number): number {
  let at = from;
  while (isSpace(json[at])) at += 1;
  return at;
}

function endOfText(json: Buffer, start: number): number {
  for (let at = json.indexOf(quote, start + 1); ; at = json.indexOf(quote, at + 1)) {
    let backslashes = 0;
    while (json[at - 1 - backslashes] === backslash) backslashes += 1;
    if (backslashes % 2 === 0) return at + 1;
  }
}

/** Numbers and words end before the next sign; all other values end with one. */
function endOfValue(json: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; ; at += 1) {
    const byte = json[at];
    if (byte === quote) at = endOfText(json, at) - 1;
    else if (byte === openBrace || byte === openBracket) depth += 1;
    else if (depth === 0 && (byte === comma || byte === closeBrace || isSpace(byte))) return at;
    else if (byte === closeBrace || byte === closeBracket) depth -= 1;
    else continue;
    if (depth === 0) return at + 1;
  }
}

/** `changes` are JSON texts. Fields that the object does not have yet come last. */
export function withChanges(json: Buffer, fields: JsonFields, changes: ReadonlyMap<string, string>): Buffer {
  if (changes.size === 0) return json;
  const pieces: Buffer[] = [];
  let at = 0;
  for (const [key, { start, text }] of fields) {
    const change = changes.get(key);
    if (change === undefined) continue;
    pieces.push(json.subarray(at, start), Buffer.from(change));
    at = start + text.length;
  }
  const added = [...changes].filter(([key]) => !fields.has(key)).map(([key, text]) => `"${key}":${text}`);
  const close = json.lastIndexOf(closeBrace);
  const separated = added.length > 0 && fields.size > 0 ? ['', ...added] : added;
  return Buffer.concat([...pieces, json.subarray(at, close), Buffer.from(separated.join(',')), json.subarray(close)]);
}

const maxShownCharacters = 100;
export const shortened = (name: string): string =>
  name.length <= maxShownCharacters ? name : `${name.slice(0, maxShownCharacters)}…`;

const refusal = (message: string): GatewayError => new GatewayError('BAD_REQUEST', { message });
