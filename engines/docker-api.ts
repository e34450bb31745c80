// The few calls of the Docker Engine API that engines and their tests need, over its unix socket. No command-line
// client is used: the one on the PATH may have another version than the engine.
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export type DockerRequest = {
  /** Sent as JSON. */
  json?: unknown;
  /** Sent unchanged; usually a tar. */
  body?: Readable | Buffer;
  headers?: Readonly<Record<string, string>>;
  timeoutSeconds?: number;
};

export type DockerAnswer = { status: number; body: Buffer };

/** `url` is the engine's, `unix:///…`; `call` is written as in the documentation, `POST /containers/create?name=a`. */
export async function callDocker(url: string, call: string, options: DockerRequest = {}): Promise<DockerAnswer> {
  const [method = 'GET', path = '/'] = call.split(' ');
  const { json, timeoutSeconds = 120 } = options;
  const payload = json === undefined ? options.body : Buffer.from(JSON.stringify(json));
  const outgoing = request({
    socketPath: new URL(url).pathname,
    method,
    path,
    headers: { ...(json === undefined ? {} : { 'content-type': 'application/json' }), ...options.headers },
    signal: AbortSignal.timeout(timeoutSeconds * 1_000),
  });
  const answered = once(outgoing, 'response');
  await Promise.all([answered, pipeline(Readable.from(payload ?? []), outgoing)]);
  const [incoming]: IncomingMessage[] = await answered;
  if (incoming === undefined) throw new Error(`${call} had no answer.`);
  const body = Buffer.concat(await incoming.toArray());
  const status = incoming.statusCode ?? 0;
  const refusal = status >= 400 ? body.toString() : errorInStream(incoming, body);
  if (refusal) throw new Error(`${call} answered ${status}: ${refusal.trim()}`);
  return { status, body };
}

/** Builds, pulls and pushes answer 200 at once and report a failure later, as a line of the body. */
function errorInStream(incoming: IncomingMessage, body: Buffer): string | undefined {
  if (!incoming.headers['content-type']?.startsWith('application/json')) return undefined;
  return /^\{"errorDetail".*$/m.exec(body.toString())?.[0];
}
