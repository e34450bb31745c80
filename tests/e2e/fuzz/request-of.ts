// Requests of one operation: as a good client sends them, and with nonsense in every part.
import type { Operation } from '@berth/contract';
import fc, { type Arbitrary } from 'fast-check';
import { pathOf, queryOf } from './address.ts';
import { bodyOf, type Sent } from './body.ts';
import { type Headers, headersOf } from './headers.ts';
import { type FuzzSetting, often } from './setting.ts';

export interface FuzzRequest {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: Buffer | undefined;
}

const otherMethods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'QUERY', 'PROPFIND'];

export function requestOf(operation: Operation, setting: FuzzSetting): Arbitrary<FuzzRequest> {
  const path = pathOf(operation, setting);
  const query = queryOf(operation);
  const headers = headersOf(operation, setting);
  const body = bodyOf(operation);
  const together = ([at, asked, sent, { bytes, type }]: [string, string, Headers, Sent]): FuzzRequest => ({
    operation: operation.id,
    method: operation.method,
    path: at + asked,
    headers: { ...sent, ...(type === undefined ? {} : { 'content-type': type }) },
    body: bytes,
  });
  return fc.oneof(
    { weight: 2, arbitrary: fc.tuple(path.usual, query.usual, headers.usual, body.usual).map(together) },
    // Only the body is mutated, so that the request gets as far as the body's validation.
    { weight: 2, arbitrary: fc.tuple(path.usual, query.usual, headers.usual, body.bent).map(together) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(
          fc.tuple(path.bent, query.bent, headers.bent, body.bent).map(together),
          often(fc.constant<string>(operation.method), 15, fc.constantFrom(...otherMethods)),
        )
        .map(([request, method]) => ({ ...request, method })),
    },
  );
}
