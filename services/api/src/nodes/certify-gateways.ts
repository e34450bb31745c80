// Issues the certificates that authenticate gateways to runners. Any writer of the table counts as a gateway and gets
// the gateway role, never the api's.
import { setTimeout as sleep } from 'node:timers/promises';
import type { NodeContext } from './node-context.ts';

const pollMs = 1_000;
/** Far above the number of gateways that start in the same second. */
const maxPerRound = 100;

/** Runs until the signal aborts. Every api process runs it; two answers for the same gateway are harmless. */
export async function certifyGateways(context: NodeContext, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await certifyPending(context);
    } catch (err) {
      const event = 'gateway.certify_failed';
      if (!signal.aborted) context.logger.warn({ err, event }, 'gateway certification failed; retrying in a second');
    }
    await sleep(pollMs, undefined, { signal }).catch(() => {});
  }
}

async function certifyPending({ database, authority, logger }: NodeContext): Promise<void> {
  const asking = await database
    .selectFrom('gateway_certificates')
    .select(['id', 'public_key'])
    .where('certificate', 'is', null)
    .limit(maxPerRound)
    .execute();
  for (const { id, public_key } of asking) {
    const certificate = await authority.certifyCaller(public_key, 'gateway').catch((err: unknown) => {
      logger.warn(
        { err, request: id, event: 'gateway.key_malformed' },
        'gateway sent a malformed key; its request is deleted',
      );
      return undefined;
    });
    if (certificate === undefined) await database.deleteFrom('gateway_certificates').where('id', '=', id).execute();
    else await database.updateTable('gateway_certificates').set({ certificate }).where('id', '=', id).execute();
    if (certificate !== undefined) logger.info({ request: id, event: 'gateway.certified' }, 'gateway certified');
  }
}
