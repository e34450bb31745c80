// Answers bytes that could not be parsed as a request: there is no route, hook or reply, only the socket.
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type ApiError, requestErrors } from '@berth/contract';
import { errorBody } from './error-answer.ts';

interface ConnectionError extends Error {
  readonly code?: string;
}

const reasons: Readonly<Record<string, () => ApiError>> = {
  ERR_HTTP_REQUEST_TIMEOUT: () => requestErrors.request_timeout(),
  HPE_HEADER_OVERFLOW: () => requestErrors.headers_too_large(),
};

export function answerClientError(error: ConnectionError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const known =
    reasons[error.code ?? '']?.() ?? requestErrors.invalid_request({ reason: 'This is not valid HTTP/1.1.' });
  const body = JSON.stringify(errorBody(known));
  const head = [
    `HTTP/1.1 ${known.status} ${STATUS_CODES[known.status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  socket.destroy(error);
}
