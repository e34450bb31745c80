import type { Call } from './call.ts';

/** Every answer is an object or an array: clients take an empty body for an error. */
export function answerJson(call: Call, body: object, status = 200): void {
  const bytes = Buffer.from(JSON.stringify(body));
  call.response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': bytes.length,
  });
  call.response.end(bytes);
}

/** Starts a stream of lines: proxies on the way must not hold it back. */
export function startStream(call: Call, contentType: string): void {
  call.response.writeHead(200, { 'content-type': contentType, 'x-accel-buffering': 'no' });
  call.response.flushHeaders();
}
