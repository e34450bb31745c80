// Makes the body that the provider receives from that of the client. The text is edited instead of being written
// anew: numbers such as 1.0 or 12345678901234567890, and the order of keys, would not survive. Pure.
import type { ProviderEndpoint } from '@berth/contract';
import { GatewayError } from '../errors/gateway-error.ts';
import { type JsonFields, readFields, readValue, requireObject, shortened, withChanges } from './json-object.ts';

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
  requireObject(body);
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

function modelIn(fields: JsonFields): string | undefined {
  const named = readValue(fields, 'model') ?? undefined;
  if (named === undefined || typeof named === 'string') return named;
  throw refusal('The field "model" has to be text.');
}

function asksForStream({ streams }: ProviderEndpoint, fields: JsonFields): boolean {
  if (typeof streams !== 'object') return streams === 'path';
  const asked = readValue(fields, streams.key) ?? false;
  if (typeof asked === 'boolean') return asked;
  // Some providers read 1 or "true" as true; the stream would then not tell its usage.
  throw refusal(`The field "${streams.key}" has to be true or false.`);
}

/** JSON text of the stream's options with a request for usage; undefined when the client has asked itself. */
function askForUsage(fields: JsonFields): string | undefined {
  const options = fields.get(streamOptions)?.text;
  if (options === undefined || options.toString() === 'null') return `{"${includeUsage}":true}`;
  if (options.at(0) !== openBrace) throw refusal(`The field "${streamOptions}" has to be an object.`);
  const inner = readFields(options, [includeUsage]);
  if (readValue(inner, includeUsage) === true) return undefined;
  return withChanges(options, inner, new Map([[includeUsage, 'true']])).toString();
}

const openBrace = 0x7b;

const refusal = (message: string): GatewayError => new GatewayError('BAD_REQUEST', { message });
