import { readFile } from 'node:fs/promises';
import { defaultBrand } from '@berth/contract';
import { describe, expect, test } from 'vitest';
import { type GatewayCode, gatewayErrors } from './error-table.ts';
import { errorAnswer, GatewayError } from './gateway-error.ts';

const context = {
  brand: defaultBrand,
  docsUrl: 'https://docs.example.org/errors',
  requestId: 'req-1',
  now: Date.UTC(2026, 0, 2, 3, 4, 5),
};
const codes = Object.keys(gatewayErrors) as GatewayCode[];

test('an error response has the form and the headers of the specification', () => {
  const { status, headers, body } = errorAnswer('WORKLOAD_NOT_FOUND', context);
  expect(status).toBe(404);
  expect(JSON.parse(body)).toEqual({
    error: {
      code: 'WORKLOAD_NOT_FOUND',
      message: expect.any(String),
      status: 404,
      retryable: false,
      action: expect.any(String),
      do_not: expect.any(String),
      docs_url: 'https://docs.example.org/errors#workload_not_found',
      origin: 'platform',
      timestamp: '2026-01-02T03:04:05.000Z',
    },
  });
  expect(headers).toEqual({
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    'X-Request-Id': 'req-1',
    'X-Service-Source': 'platform',
    'X-Service-Error-Code': 'WORKLOAD_NOT_FOUND',
  });
});

test('an error before dispatch says so in header and body, and when to retry', () => {
  const { status, headers, body } = errorAnswer('WORKLOAD_UNAVAILABLE', context, { retryAfterSeconds: 2.2 });
  expect(status).toBe(503);
  expect(headers).toMatchObject({ 'X-Service-Dispatch-State': 'not_dispatched', 'Retry-After': '3' });
  expect(JSON.parse(body).error).toMatchObject({
    retryable: true,
    dispatch_state: 'not_dispatched',
    safe_to_retry_request: true,
  });
});

test('header names follow the brand', () => {
  const { headers } = errorAnswer('FORBIDDEN', { ...context, brand: { long: 'Acme', short: 'acme' } });
  expect(headers).toMatchObject({ 'X-Acme-Source': 'platform', 'X-Acme-Error-Code': 'FORBIDDEN' });
});

test('an error that is rendered again has the id and time of each request, and the names of each brand', () => {
  const error = new GatewayError('AUTHENTICATION_FAILED');
  error.answer(context);
  const brand = { long: 'Acme', short: 'acme' };
  const later = error.answer({ ...context, requestId: 'req-2', now: context.now + 1_000 });
  expect(later.headers).toMatchObject({ 'X-Request-Id': 'req-2', 'X-Service-Source': 'platform' });
  expect(later.headers['Content-Length']).toBe(String(Buffer.byteLength(later.body)));
  expect(JSON.parse(later.body).error.timestamp).toBe('2026-01-02T03:04:06.000Z');
  expect(error.answer({ ...context, brand }).headers).toMatchObject({ 'X-Acme-Source': 'platform' });
});

test('details replace the message and the status of the table', () => {
  const { status, body } = errorAnswer('POLICY_VIOLATION', context, { status: 429, message: 'Too many tokens.' });
  expect(status).toBe(429);
  expect(JSON.parse(body).error).toMatchObject({ status: 429, message: 'Too many tokens.' });
  expect(new GatewayError('BAD_REQUEST', { message: 'No host.' })).toMatchObject({ message: 'No host.' });
});

test('an error that is no failure before dispatch says when to retry only where that is known', () => {
  const { headers, body } = errorAnswer('POLICY_VIOLATION', context, { status: 429, retryAfterSeconds: 59.1 });
  expect(headers['Retry-After']).toBe('60');
  // A retry would be refused until then, so clients that retry by themselves are not invited.
  expect('X-Service-Dispatch-State' in headers).toBe(false);
  expect(JSON.parse(body).error).not.toHaveProperty('safe_to_retry_request');
  expect('Retry-After' in errorAnswer('POLICY_VIOLATION', context).headers).toBe(false);
});

describe('the table', () => {
  test.each(codes)('%s: a retry is offered only where it is safe', (code) => {
    const { headers, body, status } = errorAnswer(code, context);
    const { error } = JSON.parse(body);
    expect('Retry-After' in headers).toBe(error.safe_to_retry_request === true);
    if (error.safe_to_retry_request === true) expect(error.retryable).toBe(true);
    expect('WWW-Authenticate' in headers).toBe(status === 401);
  });

  test('equals the table in the documentation', async () => {
    const page = await readFile(new URL('../../../../docs/gateway-errors.md', import.meta.url), 'utf8');
    const documented = page
      .split('\n')
      .filter((line) => /^\| `[A-Z_]+`/.test(line))
      .map((line) => line.slice(2, -2).split(' | '));
    const expected = Object.entries(gatewayErrors).map(([code, { status, retryable, message, action, doNot }]) => [
      `\`${code}\``,
      String(status),
      retryable ? 'yes' : 'no',
      message,
      action.replaceAll('<', '&lt;'),
      doNot,
    ]);
    expect(documented).toEqual(expected);
  });
});
