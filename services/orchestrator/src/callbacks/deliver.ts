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
  const told = { delivery: delivery.id, ...namesOf(delivery), attempts, verdict: verdict.kind };
  // The address is not logged, because it may hold a token of the receiver.
  if (isRecorded) logger.info(told, `callback tried; ${describeTry(result)}`);
  else logger.warn(told, 'callback tried; its claim had ended, so another try follows');
}

function namesOf({ subject }: ClaimedDelivery): Readonly<Record<string, string>> {
  if (subject.kind === 'budget') return { budget: subject.budgetId };
  return subject.kind === 'execution' ? { execution: subject.executionId } : { invocation: subject.invocationId };
}

async function tryOnce(dependencies: DeliveryDependencies, delivery: ClaimedDelivery): Promise<TryResult> {
  const { brand, post, logger } = dependencies;
  const { id, url, body } = delivery;
  try {
    const opened = await openSecret(dependencies, delivery);
    return {
      status: await post(url, { headers: callbackHeaders(brand, { id, secret: opened, body, now: Date.now() }), body }),
    };
  } catch (err) {
    if (err instanceof OutwardError) return { error: err.message };
    logger.error({ err, delivery: id }, 'callback failed before it was sent; it is tried again');
    return { error: 'The callback could not be prepared. The operator finds the reason in the log.' };
  }
}

async function openSecret(
  { database, keyring }: DeliveryDependencies,
  { subject, secret }: ClaimedDelivery,
): Promise<string> {
  if (subject.kind === 'budget')
    return unseal(await keyring.deploymentKey(database, 'budgets'), secret, `budget ${subject.budgetId}`);
  return unseal(await keyring.workspaceKey(database, subject.workspaceId), secret, `resource ${subject.resourceUid}`);
}
