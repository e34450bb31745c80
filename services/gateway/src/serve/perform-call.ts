// One run of an asynchronous call: the Serve walk from its admitted caller on, with the headers and the body that were stored.
import { type Brand, headerNames, lacksScope } from '@berth/contract';
import type { Principal } from '@berth/identity';
import { formatTraceparent } from '@berth/telemetry';
import type { Admitted } from '../access/admitted.ts';
import { gatewayErrors } from '../errors/error-table.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import { setHeaders } from '../http/header-map.ts';
import { valuesOf } from '../http/raw-headers.ts';
import type { CallPayload, ClaimedCall } from '../invocations/claimed-call.ts';
import type { RunAnswer, RunResult } from '../invocations/judge-run.ts';
import type { Perform } from '../invocations/start-calls.ts';
import type { Outcome } from '../proxy/outcome.ts';
import type { Route } from '../routing/route.ts';
import type { WorkloadCache } from '../routing/workload-cache.ts';
import { workloadKinds } from '../workloads/workload-kinds.ts';
import type { Handle, Handled } from './handle.ts';
import { createLocalServer } from './local-server.ts';
import type { PassOn } from './pass-on.ts';
import type { RequestContext } from './request-context.ts';

export interface PerformOptions {
  readonly brand: Brand;
  readonly handle: Handle;
  readonly passOn: PassOn;
  readonly cache: Pick<WorkloadCache, 'find'>;
  /** The owner of a key with the rights of now. */
  readonly findPrincipal: (keyId: string) => Promise<Principal | undefined>;
  /** Undefined once the claim has ended. */
  readonly loadPayload: (call: ClaimedCall) => Promise<CallPayload | undefined>;
}

export function createPerform({ brand, handle, passOn, cache, findPrincipal, loadPayload }: PerformOptions): Perform {
  const server = createLocalServer();
  const names = headerNames(brand);

  /** The caller was admitted when the call was accepted; a right that was taken away since then stops it. */
  async function requireRight({ keyId, isByMember, workspaceId }: ClaimedCall): Promise<void> {
    if (keyId === null) return;
    const principal = await findPrincipal(keyId);
    const isMember = principal?.memberships.some((each) => each.workspaceId === workspaceId) ?? false;
    if (principal === undefined || (isByMember && !isMember)) throw rightGone;
    if (lacksScope(principal.scopes, [workloadKinds.agent.callScope]) !== undefined) throw rightGone;
  }

  async function admit(route: Route, call: ClaimedCall): Promise<Admitted> {
    await requireRight(call);
    const workload = await cache.find(route, 'caller');
    if (workload?.uid !== call.resourceUid) throw new GatewayError('WORKLOAD_NOT_FOUND');
    return { workload, principal: undefined, consumed: undefined };
  }

  async function serve(call: ClaimedCall, stored: readonly string[], context: RequestContext): Promise<Outcome> {
    const { workspaceId: workspace, resourceName: name, path } = call;
    const route: Route = { by: 'path', workspace, kind: 'agent', name, path };
    context.kind = 'agent';
    context.event.add({ invocation: call.id });
    const admitted = await admit(route, call);
    const { workload } = admitted;
    context.workload = workload;
    context.event.add({ workspace: workload.workspace, kind: workload.kind, workload: workload.name });
    if (!workload.isEnabled)
      throw new GatewayError('WORKLOAD_UNAVAILABLE', { message: 'The workload is switched off.' });
    return passOn({
      ...{ route, admitted, context, session: undefined },
      admitAgain: () => admit(route, call),
      target: { path, port: undefined, prefix: undefined },
      // The stored trace is that of the accepted request, whose span the run continues.
      headers: setHeaders(stored, {
        [names.invocationId]: call.id,
        [names.invocationRun]: String(call.runs + 1),
        traceparent: formatTraceparent(context.trace),
      }),
    });
  }

  return async (call, { begin, signal }) => {
    try {
      const payload = await loadPayload(call);
      if (payload === undefined || signal.aborted) return claimGone;
      const { headers, body } = payload;
      const ms = call.timeoutSeconds * 1_000;
      const length = body.length === 0 ? [] : ['Content-Length', String(body.length)];
      let hasBegun = false;
      const beginOnce = async (): Promise<void> => {
        await begin();
        hasBegun = true;
      };
      let handled: Handled | undefined;
      const answer = await server.send({
        ...{ method: call.method, body, signal, contentType: valuesOf(headers, 'content-type')[0] },
        traceparent: valuesOf(headers, 'traceparent')[0],
        async handle(local) {
          handled = await handle(local, (context) => {
            context.run = { timeouts: { totalMs: ms, silentMs: ms }, begin: beginOnce };
            return serve(call, [...headers, ...length], context);
          });
        },
      });
      return resultOf({ handled, answer, hasBegun, isAborted: signal.aborted });
    } catch (error) {
      return { kind: 'unsent', answer: noAnswer, reason: messageOf(error), isFinal: false };
    }
  };
}

const rightGone = new GatewayError('FORBIDDEN', {
  message: 'The key with which the call was made is gone, or may not call the agent any more.',
  action: 'Make the call again with a valid key.',
});

const noAnswer: RunAnswer = { status: 0, body: Buffer.alloc(0), bytes: 0 };
const claimGone: RunResult = {
  kind: 'unsent',
  answer: noAnswer,
  reason: 'The lease of the call has ended.',
  isFinal: false,
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

interface Ended {
  readonly handled: Handled | undefined;
  readonly answer: RunAnswer | undefined;
  readonly hasBegun: boolean;
  readonly isAborted: boolean;
}

function resultOf({ handled, answer = noAnswer, hasBegun, isAborted }: Ended): RunResult {
  const outcome = handled?.outcome;
  const error = handled?.error;
  const isSent = hasBegun && outcome?.dispatchState !== 'not_dispatched';
  if (outcome?.status !== undefined && outcome.error === undefined) return { kind: 'answered', answer };
  if (isAborted) return isSent ? { kind: 'abandoned' } : claimGone;
  const code = error instanceof GatewayError ? error.code : codeOf(outcome);
  const reason = error === undefined ? gatewayErrors[code].message : messageOf(error);
  // An answer that broke off has the status of its beginning, which says nothing about its end.
  const told = outcome?.status === undefined ? answer : { ...noAnswer, status: gatewayErrors[code].status };
  return isSent
    ? { kind: 'lost', answer: told, reason }
    : { kind: 'unsent', answer: told, reason, isFinal: finalCodes.has(code) };
}

const codeOf = (outcome: Outcome | undefined) =>
  outcome?.error?.code === 'timed_out' ? 'WORKLOAD_TIMEOUT' : 'WORKLOAD_CONNECTION_LOST';

/** Waiting does not help. */
const finalCodes: ReadonlySet<string> = new Set([
  'WORKLOAD_NOT_FOUND',
  'FORBIDDEN',
  'BAD_REQUEST',
  'REQUEST_ENTITY_TOO_LARGE',
]);
