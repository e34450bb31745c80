// Answers an asynchronous call at once: it is stored, and a gateway performs it afterwards.
import { type Brand, bytesPerMb, headerNames } from '@berth/contract';
import type { Principal } from '@berth/identity';
import type { WideEvent } from '@berth/telemetry';
import { required } from '../access/gatekeeper.ts';
import { GatewayError, platformHeaders } from '../errors/gateway-error.ts';
import type { Call } from '../http/gateway-server.ts';
import { idempotencyKeyIn } from '../http/idempotency-key.ts';
import { sendAnswer } from '../http/send-answer.ts';
import { OpenBodies } from '../proxy/open-bodies.ts';
import { type Outcome, outcomeOf, startTally } from '../proxy/outcome.ts';
import { readBody } from '../proxy/read-body.ts';
import { ClientGone } from '../proxy/request-body.ts';
import type { FoundTrigger } from '../routing/trigger.ts';
import type { Workload } from '../workloads/workload.ts';
import type { AcceptCall } from './accept-call.ts';
import { bodyTooLarge, callsBusy, noUpgrade } from './call-errors.ts';

export interface ServeCallOptions {
  readonly accept: AcceptCall;
  /** Called after a call was stored. */
  readonly wake: () => void;
  readonly brand: Brand;
  readonly maxBodyBytes: number;
}

interface AdmittedCall {
  readonly workload: Pick<Workload, 'uid' | 'workspaceId'>;
  readonly principal: Principal | undefined;
  readonly trigger?: FoundTrigger | undefined;
}

interface AsyncRequest {
  readonly admitted: AdmittedCall;
  /** Admits the caller anew: a body may take long to arrive, and a key that was revoked meanwhile calls nothing. */
  readonly admitAgain: () => Promise<AdmittedCall>;
  /** As the agent receives them. */
  readonly path: string;
  readonly headers: readonly string[];
  readonly context: { readonly call: Call; readonly requestId: string; readonly event: Pick<WideEvent, 'add'> };
}

export type ServeCall = (asked: AsyncRequest) => Promise<Outcome>;

const maxBodyMs = 60_000;
/** Bytes that are read or stored at once, of one workspace and in all. */
const maxOpenBytes = { workspace: 64 * bytesPerMb, all: 256 * bytesPerMb };
const accepted = JSON.stringify({ success: true });

export function createServeCall({ accept, wake, brand, maxBodyBytes }: ServeCallOptions): ServeCall {
  const bodies = new OpenBodies(maxOpenBytes.workspace, maxOpenBytes.all);
  const { source } = platformHeaders(brand);
  const { invocationId } = headerNames(brand);

  async function read({ admitted, context: { call } }: AsyncRequest): Promise<Buffer> {
    if (call.upgrade !== undefined) throw noUpgrade;
    const stated = Number(call.request.headers['content-length'] ?? maxBodyBytes);
    const release = bodies.reserve(admitted.workload.workspaceId, Math.min(maxBodyBytes, stated));
    if (release === undefined) throw callsBusy;
    try {
      return await readBody(call, { maxBytes: maxBodyBytes, maxMs: maxBodyMs, tooLarge: () => bodyTooLarge });
    } finally {
      release();
    }
  }

  async function store(asked: AsyncRequest, body: Buffer): Promise<string> {
    const { request } = asked.context.call;
    const { workload, principal, trigger } = await asked.admitAgain();
    const id = await accept({
      ...{ uid: workload.uid, trigger, principal, body, path: asked.path },
      idempotencyKey: idempotencyKeyIn(request.rawHeaders),
      method: request.method ?? 'POST',
      headers: storedHeaders(asked.headers),
    });
    // The address changed after it was cached. The caller gets the answer that the next request gets.
    if (id === undefined) throw principal === undefined ? required : new GatewayError('WORKLOAD_NOT_FOUND');
    wake();
    return id;
  }

  return async (asked) => {
    const { call, requestId, event } = asked.context;
    const tally = startTally();
    try {
      const body = await read(asked);
      tally.bytesIn = body.length;
      const id = await store(asked, body);
      event.add({ invocation: id });
      if (call.request.socket.destroyed) return outcomeOf(tally, { code: 'client_gone' });
      const headers = {
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Length': String(accepted.length),
        'Cache-Control': 'no-store',
        'X-Content-Type-Options': 'nosniff',
        'X-Request-Id': requestId,
        [source]: 'platform',
        [invocationId]: id,
      };
      sendAnswer(call, { status: 200, headers, body: accepted });
      tally.status = 200;
      tally.bytesOut = accepted.length;
      return outcomeOf(tally, undefined);
    } catch (error) {
      if (error instanceof ClientGone) return outcomeOf(tally, { code: 'client_gone' });
      throw error;
    }
  };
}

/** The body is sent whole, and its answer is told as text: an encoding that the client can read may be none for the callback. */
const dropped = new Set(['content-length', 'accept-encoding']);

function storedHeaders(headers: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at] ?? '';
    if (!dropped.has(name.toLowerCase())) kept.push(name, headers[at + 1] ?? '');
  }
  return kept;
}
