// Asynchronous calls: their acceptance, and the loop that performs them.
import { createNotifier, type Database, deliveriesChannel } from '@berth/database';
import { findPrincipalOfKey } from '@berth/identity';
import { createAcceptCall } from '../invocations/accept-call.ts';
import { loadPayload } from '../invocations/claim-calls.ts';
import { createServeCall, type ServeCall, type ServeCallOptions } from '../invocations/serve-call.ts';
import { type CallsOptions, startCalls } from '../invocations/start-calls.ts';
import type { StoringOptions } from '../triggers/store-in-lane.ts';
import { createPerform, type PerformOptions } from './perform-call.ts';

export interface OpenCallsOptions
  extends Pick<CallsOptions, 'atOnce' | 'perAgent' | 'leaseMs' | 'pollMs' | 'logger' | 'registry'>,
    Pick<ServeCallOptions, 'brand' | 'maxBodyBytes'>,
    Pick<PerformOptions, 'handle' | 'passOn' | 'cache'> {
  readonly database: Database;
  /** Where calls are stored. */
  readonly storing: StoringOptions;
}

export interface OpenCalls {
  readonly serve: ServeCall;
  /** Takes no more calls, and waits for those under way within the deadline. */
  stop(deadlineMs: number): Promise<void>;
}

export function openCalls({
  database,
  storing,
  brand,
  maxBodyBytes,
  handle,
  passOn,
  cache,
  ...settings
}: OpenCallsOptions): OpenCalls {
  const { logger } = settings;
  const notifyDeliveries = createNotifier(database, deliveriesChannel, (err) =>
    logger.warn({ err }, 'callback notification failed; the poll of the orchestrator will pick it up'),
  );
  const calls = startCalls({
    ...{ database, notifyDeliveries, ...settings },
    perform: createPerform({
      ...{ brand, handle, passOn, cache },
      findPrincipal: (keyId) => findPrincipalOfKey(database, keyId),
      loadPayload: (call) => loadPayload(database, call),
    }),
  });
  return {
    serve: createServeCall({ brand, maxBodyBytes, accept: createAcceptCall(storing), wake: () => calls.wake() }),
    stop: (deadlineMs) => calls.stop(deadlineMs),
  };
}
