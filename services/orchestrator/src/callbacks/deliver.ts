// One try of one claimed delivery.
import type { Brand } from '@berth/contract';
import type { Database } from '@berth/database';
import { type Keyring, unseal } from '@berth/identity';
import { OutwardError, type Post } from '@berth/outward';
import type { Logger } from '@berth/telemetry';
import type { ClaimedDelivery } from './claim.ts';
import { describeTry, judgeTry, type TryResult } from './judge-try.ts';
import { recordTry } from './record-try.ts';
import { callbackHeaders } from './sign.ts';

export interface DeliveryDependencies {
  readonly database: Database;
  readonly keyring: Keyring;
  readonly brand: Brand;
  readonly post: Post;
  readonly logger: Logger;
  /** From 0 to below 1. */
  readonly random: () => number;
}

export async function deliver(dependencies: DeliveryDependencies, delivery: ClaimedDelivery): Promise<void> {
  const { database, logger, random } = dependencies;
  const result = await tryOnce(dependencies, delivery);
  const attempts = delivery.attempts + 1;
  const verdict = judgeTry(result, attempts, random);
  const isRecorded = await recordTry(database, delivery, result, verdict);
  const told = { delivery: delivery.id, execution: delivery.executionId, attempts, verdict: verdict.kind };
  // The address is not logged, because it may hold a token of the receiver.
  if (isRecorded) logger.info(told, `callback tried; ${describeTry(result)}`);
  else logger.warn(told, 'callback tried; its claim had ended, so another try follows');
}

async function tryOnce(
  { database, keyring, brand, post, logger }: DeliveryDependencies,
  { id, workspaceId, resourceUid, url, secret, body }: ClaimedDelivery,
): Promise<TryResult> {
  try {
    const key = await keyring.workspaceKey(database, workspaceId);
    const opened = unseal(key, secret, `resource ${resourceUid}`);
    return {
      status: await post(url, { headers: callbackHeaders(brand, { id, secret: opened, body, now: Date.now() }), body }),
    };
  } catch (err) {
    if (err instanceof OutwardError) return { error: err.message };
    logger.error({ err, delivery: id }, 'callback failed before it was sent; it is tried again');
    return { error: 'The callback could not be prepared. The operator finds the reason in the log.' };
  }
}
