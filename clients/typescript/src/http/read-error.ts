// Reads the error bodies of the service. The management API, the gateway and the API inside a sandbox each have their own form.
import type { ErrorFacts } from './errors.ts';

type Body = Readonly<Record<string, unknown>>;

const isBody = (value: unknown): value is Body => typeof value === 'object' && value !== null && !Array.isArray(value);
const textIn = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const shownCharacters = 300;

export function readError(status: number, headers: Headers, text: string): ErrorFacts {
  const body = parsed(text);
  const shared = { status, requestId: textIn(headers.get('x-request-id')), retryAfterMs: retryAfter(headers) };
  const plain = { ...shared, code: `http_${status}`, message: text.slice(0, shownCharacters) || `Status ${status}` };
  if (body === undefined) return plain;
  const { error, message, code, details } = body;
  if (isBody(error)) return { ...shared, ...ofGateway(error, plain) };
  if (textIn(message) === undefined) return { ...plain, message: textIn(error) ?? plain.message };
  // The creation of a sandbox has its code in another place.
  const reason = isBody(details) ? textIn(details.action) : undefined;
  return {
    ...plain,
    code: textIn(error) ?? textIn(code) ?? plain.code,
    message: joined(textIn(message) ?? plain.message, reason),
    retryable: status === 429 || status === 503,
  };
}

function ofGateway(error: Body, plain: ErrorFacts): ErrorFacts {
  return {
    ...plain,
    code: textIn(error.code) ?? plain.code,
    message: joined(textIn(error.message) ?? plain.message, textIn(error.action)),
    retryable: error.retryable === true,
    docsUrl: textIn(error.docs_url),
    notDispatched: error.dispatch_state === 'not_dispatched',
  };
}

const joined = (...sentences: readonly (string | undefined)[]): string => sentences.filter(Boolean).join(' ');

function parsed(text: string): Body | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isBody(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** In seconds, or a date. */
function retryAfter(headers: Headers): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
