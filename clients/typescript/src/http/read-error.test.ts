import { expect, test } from 'vitest';
import {
  AccessError,
  ConflictError,
  errorFrom,
  InvalidRequestError,
  NotFoundError,
  PortUnreachableError,
  QuotaError,
  RateLimitedError,
  UnavailableError,
} from './errors.ts';
import { readError } from './read-error.ts';

const read = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  errorFrom(readError(status, new Headers(headers), typeof body === 'string' ? body : JSON.stringify(body)));

const gateway = (code: string, more: object = {}) => ({
  error: { code, message: 'What is wrong.', action: 'What to do.', retryable: false, ...more },
});

test('an error of the management API has its code and sentence', () => {
  const error = read(404, { error: 'not_found', code: 404, message: 'Not there.' }, { 'x-request-id': 'r1' });
  expect(error).toBeInstanceOf(NotFoundError);
  expect(error).toMatchObject({ code: 'not_found', status: 404, message: 'Not there.', requestId: 'r1' });
});

test('an error of the gateway says what to do, and whether the request may be sent again', () => {
  const body = gateway('WORKLOAD_UNAVAILABLE', { retryable: true, dispatch_state: 'not_dispatched', docs_url: 'd' });
  const error = read(503, body, { 'retry-after': '2' });
  expect(error).toBeInstanceOf(UnavailableError);
  expect(error).toMatchObject({
    ...{ code: 'WORKLOAD_UNAVAILABLE', message: 'What is wrong. What to do.', retryable: true, notDispatched: true },
    ...{ docsUrl: 'd', retryAfterMs: 2_000 },
  });
});

test('an error of the API inside a sandbox is a sentence alone', () => {
  expect(read(400, { error: 'The path is wrong.' })).toMatchObject({ code: 'http_400', message: 'The path is wrong.' });
});

test('an error of the creation of a sandbox has its code in a place of its own', () => {
  const body = { code: 'IMAGE_MISSING', message: 'There is no such image.', status_code: 400, sandbox_name: 's' };
  expect(read(400, body)).toMatchObject({ code: 'IMAGE_MISSING', message: 'There is no such image.' });
});

test('an unknown version has an error without a number', () => {
  expect(read(400, { error: 'invalid_api_version', message: 'Known are …' })).toMatchObject({
    ...{ code: 'invalid_api_version', message: 'Known are …' },
  });
});

test('an answer of something in between is shown as it is', () => {
  expect(read(502, '<html>Bad Gateway</html>')).toMatchObject({
    ...{ code: 'http_502', message: '<html>Bad Gateway</html>' },
  });
  expect(read(500, '')).toMatchObject({ code: 'http_500', message: 'Status 500' });
});

test.each([
  [401, 'unauthorized', AccessError],
  [403, 'forbidden', AccessError],
  [409, 'conflict', ConflictError],
  [422, 'unprocessable', InvalidRequestError],
  [429, 'rate_limited', RateLimitedError],
  [429, 'QUOTA_EXCEEDED', QuotaError],
  [402, 'USAGE_LIMIT_EXCEEDED', QuotaError],
  [502, 'PORT_UNREACHABLE', PortUnreachableError],
])('status %i with %s is an error of its family', (status, code, family) => {
  expect(read(status, gateway(code))).toBeInstanceOf(family);
});
