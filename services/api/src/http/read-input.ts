import { hostileReason, type Operation, requestErrors, type Version } from '@berth/contract';
import type { z } from 'zod';

interface Input {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** Parses the input with the operation's schemas; the error names the first fault and its path. */
export function readInput(operation: Operation, version: Version, raw: Input) {
  const reason = hostileReason(raw.params) ?? hostileReason(raw.query) ?? hostileReason(raw.body);
  if (reason !== undefined) throw requestErrors.invalid_request({ reason });
  const wrapped = version.has('wrappedLists');
  const query = wrapped ? operation.query : (operation.queryBeforeWrappedLists ?? operation.query);
  return {
    params: parse(operation.params, raw.params, 'path'),
    query: parse(query, raw.query, 'query'),
    body: operation.body === undefined ? undefined : parse(operation.body, raw.body ?? undefined, 'body'),
  };
}

function parse<S extends z.ZodType>(schema: S, value: unknown, part: string): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  if (value === undefined && part === 'body')
    throw requestErrors.invalid_request({ reason: 'This operation needs a JSON body.' });
  const where = [part, ...(issue?.path ?? []).map(String)].join('.');
  throw requestErrors.invalid_request({
    reason: `${where}: ${sentence(issue?.message ?? 'is not valid')} Correct it and send the request again.`,
  });
}

const sentence = (text: string): string => (/[.?]$/.test(text) ? text : `${text}.`);
