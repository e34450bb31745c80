// Makes the body that the provider receives from that of the client. The text is edited instead of being written
// anew: numbers such as 1.0 or 12345678901234567890, and the order of keys, would not survive. Pure.
import { isUtf8 } from 'node:buffer';
import type { ProviderEndpoint } from '@berth/contract';
import { GatewayError } from '../errors/gateway-error.ts';

export interface BodyToPrepare {
  readonly endpoint: ProviderEndpoint;
  /** `spec.runtime.model`; undefined when callers choose. */
  readonly model: string | undefined;
  /** Name that the client wrote into the path. */
  readonly pathModel: string | undefined;
  readonly body: Buffer;
}

export interface PreparedBody {
  /** The same buffer when nothing had to change. */
  readonly body: Buffer;
  /** The provider's name of the model. Undefined when the address decides and the model names none. */
  readonly model: string | undefined;
  readonly isStream: boolean;
  /** The client has not asked for the event with the usage. */
  readonly dropsUsageEvent: boolean;
}

export function prepareBody({ endpoint, model, pathModel, body }: BodyToPrepare): PreparedBody {
  checkObject(body);
  const fields = readFields(body, fieldNames(endpoint));
  const changes = new Map<string, string>();
  let chosen = model;
  if (endpoint.model === 'path') chosen = chooseModel('path', pathModel, model);
  if (endpoint.model === 'body') {
    const named = modelIn(fields);
    chosen = chooseModel('body', named, model);
    if (named === undefined) changes.set('model', JSON.stringify(chosen));
  }
  const isStream = asksForStream(endpoint, fields);
  const asked = isStream && endpoint.asksForUsage === true ? askForUsage(fields) : undefined;
  if (asked !== undefined) changes.set(streamOptions, asked);
  return { body: withChanges(body, fields, changes), model: chosen, isStream, dropsUsageEvent: asked !== undefined };
}

const streamOptions = 'stream_options';
const includeUsage = 'include_usage';

/** Fields of the body that are read here. */
const fieldNames = ({ model, streams, asksForUsage }: ProviderEndpoint): string[] => [
  ...(model === 'body' ? ['model'] : []),
  ...(typeof streams === 'object' ? [streams.key] : []),
  ...(asksForUsage === true ? [streamOptions] : []),
];

/** A caller who could name another model would choose a dearer one than the owner did. */
function chooseModel(place: 'body' | 'path', named: string | undefined, served: string | undefined): string {
  const chosen = named ?? served;
  if (chosen === undefined)
    throw refusal(
      `Neither the ${place} nor this model of the workspace names a model of the provider. Name one in the ${place}, or let the owner of the model set spec.runtime.model.`,
    );
  if (served !== undefined && chosen !== served)
    throw refusal(
      `The ${place} names the model "${shortened(chosen)}", but only "${served}" is served at this address. Name "${served}".`,
    );
  return chosen;
}

function modelIn(fields: Fields): string | undefined {
  const named = readValue(fields, 'model') ?? undefined;
  if (named === undefined || typeof named === 'string') return named;
  throw refusal('The field "model" has to be text.');
}

function asksForStream({ streams }: ProviderEndpoint, fields: Fields): boolean {
  if (typeof streams !== 'object') return streams === 'path';
  const asked = readValue(fields, streams.key) ?? false;
  if (typeof asked === 'boolean') return asked;
  // Some providers read 1 or "true" as true; the stream would then not tell its usage.
  throw refusal(`The field "${streams.key}" has to be true or false.`);
}

/** JSON text of the stream's options with a request for usage; undefined when the client has asked itself. */
function askForUsage(fields: Fields): string | undefined {
  const options = fields.get(streamOptions)?.text;
  if (options === undefined || options.equals(nullText)) return `{"${includeUsage}":true}`;
  if (options[0] !== openBrace) throw refusal(`The field "${streamOptions}" has to be an object.`);
  const inner = readFields(options, [includeUsage]);
  if (readValue(inner, includeUsage) === true) return undefined;
  return withChanges(options, inner, new Map([[includeUsage, 'true']])).toString();
}

/** Bytes that are no UTF-8 are refused: a provider may read other text from them. */
function checkObject(body: Buffer): void {
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
type Fields = ReadonlyMap<string, Field>;

/**
 * Reads an object in valid JSON. Each key and value is parsed by itself, because JSON.parse of V8 13.6 confuses keys with
 * escapes inside objects. Parsers disagree on which of two equal keys counts, and some of them compare the names that they
 * know without case: both would let a client name a model that is not checked.
 */
function readFields(json: Buffer, names: readonly string[]): Fields {
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
    at = skipSpace(json, start + text.length);
    if (json[at] === comma) at = skipSpace(json, at + 1);
  }
  return fields;
}

function readValue(fields: Fields, name: string): unknown {
  const field = fields.get(name);
  return field === undefined ? undefined : JSON.parse(field.text.toString());
}

/** In both directions: parsers that ignore case take the long ſ, which has no lower case, for an s. */
const foldCase = (key: string): string => key.toUpperCase().toLowerCase();

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
const nullText = Buffer.from('null');

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
function withChanges(json: Buffer, fields: Fields, changes: ReadonlyMap<string, string>): Buffer {
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
const shortened = (name: string): string =>
  name.length <= maxShownCharacters ? name : `${name.slice(0, maxShownCharacters)}…`;

const refusal = (message: string): GatewayError => new GatewayError('BAD_REQUEST', { message });
