// Tries the connections in order until one answers. After the first byte of an answer nothing is tried again.
import type { Brand } from '@berth/contract';
import { GatewayError } from '../errors/gateway-error.ts';
import type { Call } from '../http/gateway-server.ts';
import type { HeaderMap } from '../http/header-map.ts';
import { valuesOf } from '../http/raw-headers.ts';
import type { ProxyError, Tally } from '../proxy/outcome.ts';
import { answerHeaders } from './answer-headers.ts';
import { type AnswerReader, createAnswerReader } from './answer-reader.ts';
import { type AttemptError, type AttemptResult, isWorthAnother } from './attempt-result.ts';
import type { CallProvider } from './call-provider.ts';
import { KeyFilter } from './key-filter.ts';
import type { FoundModel } from './model.ts';
import type { Attempt, Attempts } from './plan-attempts.ts';
import { providerHeaders, providerPath } from './provider-request.ts';

export interface Trying {
  readonly call: Call;
  readonly tally: Tally;
  readonly model: FoundModel;
  readonly brand: Brand;
  /** Path of the model on a shared host; empty on a host of its own. */
  readonly base: string;
  /** For every response to the request. */
  readonly ownHeaders: HeaderMap;
  /** An answer has begun: the body is no longer needed. */
  readonly onAnswer: () => void;
  /** A provider got the request and did not answer: it may have worked all the same. */
  readonly onUnanswered: (tried: Tried) => void;
}

export interface Tried {
  /** The attempt that answered, or the last one. */
  readonly attempt: Attempt;
  readonly attempts: number;
  /** Undefined when there was no answer. */
  readonly reader: AnswerReader | undefined;
  /** What cut the answer, or kept it from the client. */
  readonly error: ProxyError | undefined;
}

/** Throws a GatewayError when no provider answered. */
export async function tryConnections(
  provider: Pick<CallProvider, 'call'>,
  attempts: Attempts,
  trying: Trying,
): Promise<Tried> {
  const { call, tally, onUnanswered } = trying;
  let reader: AnswerReader | undefined;
  for (const [at, attempt] of attempts.entries()) {
    const isLast = at === attempts.length - 1;
    // The client may have left while limits were read, or between two tries: a provider would work for nobody.
    if (call.request.socket.destroyed) return { attempt, attempts: at, reader, error: { code: 'client_gone' } };
    const result = await tryOne(provider, attempt, at + 1, isLast, trying, (made) => {
      reader = made;
    });
    const tried = { attempt, attempts: at + 1, reader };
    if (result.is === 'answered') {
      // The connection closes before the end of the answer: this tells the client that it was cut.
      if (result.error !== undefined) call.response.destroy();
      return { ...tried, error: proxyError(result.error) };
    }
    if (result.error.code === 'client_gone') return { ...tried, error: proxyError(result.error) };
    if (tally.dispatchState === 'dispatched' && result.status === undefined)
      onUnanswered({ ...tried, reader: undefined, error: proxyError(result.error) });
    if (isLast) throw unanswered(result.error, attempt, at + 1);
    tally.dispatchState = 'not_dispatched';
  }
  throw new Error('There was nothing to try.');
}

function tryOne(
  provider: Pick<CallProvider, 'call'>,
  { connection, endpoint, path, prepared }: Attempt,
  attempts: number,
  isLast: boolean,
  { call, tally, model, brand, base, ownHeaders: own, onAnswer }: Trying,
  onReader: (reader: AnswerReader) => void,
): Promise<AttemptResult> {
  const { request, response } = call;
  const filter = new KeyFilter(connection.key);
  return provider.call({
    ...{ response, tally, filter },
    base: connection.base,
    path: providerPath(connection, path),
    headers: providerHeaders(request.rawHeaders, connection, endpoint, model),
    body: prepared.body,
    passes: (status) => isLast || !isWorthAnother(status),
    onHead(status, rawHeaders) {
      onAnswer();
      const { isStream, dropsUsageEvent } = prepared;
      const isGood = status >= 200 && status < 300;
      const dropsBytes = dropsUsageEvent && isGood;
      const contentType = valuesOf(rawHeaders, 'content-type')[0];
      const contentEncoding = valuesOf(rawHeaders, 'content-encoding')[0];
      const reader = createAnswerReader({
        endpoint,
        contentType,
        contentEncoding,
        isStream,
        dropsUsageEvent: dropsBytes,
      });
      onReader(reader);
      return { headers: answerHeaders(rawHeaders, { brand, filter, base, dropsBytes, attempts, own }), reader };
    },
  });
}

const codes = {
  address: 'unreachable',
  unreachable: 'unreachable',
  refused: 'reset',
  late: 'timed_out',
  cut: 'cut',
  client_gone: 'client_gone',
} as const satisfies Record<AttemptError['code'], ProxyError['code']>;

const proxyError = (error: AttemptError | undefined): ProxyError | undefined =>
  error && { code: codes[error.code], cause: error.cause };

function unanswered({ code, cause }: AttemptError, { connection }: Attempt, attempts: number): GatewayError {
  const tried = attempts === 1 ? '' : `, the last of ${attempts} that were tried`;
  const named = `the connection ${connection.name}${tried}`;
  if (code === 'address')
    return new GatewayError('MODEL_NOT_CALLABLE', {
      message: `The address of ${named} is not on the internet.`,
      action: 'Let an admin correct spec.config.BASE_URL of the connection.',
    });
  if (code === 'late')
    return new GatewayError('PROVIDER_TIMEOUT', { message: `No answer in time over ${named}.` }, cause);
  return new GatewayError('PROVIDER_UNREACHABLE', { message: `No answer over ${named}.` }, cause);
}
