// Registers a machine as a runner: consumes its token, inserts its row and signs its key in one transaction. The token
// is checked first: without a valid token the certificate request is neither parsed nor signed.
import { type JoinAnswer, JoinRequest, RenewRequest } from '@berth/contract/node';
import { uuidv7 } from '@berth/database';
import { takeJoinToken } from '@berth/identity';
import { nodeErrors } from './errors.ts';
import type { NodeContext } from './node-context.ts';

const refusals = { unknown: 'not known', used: 'used already', expired: 'expired' } as const;

export async function join({ database, authority, logger }: NodeContext, body: unknown): Promise<JoinAnswer> {
  const { token, name, request } = JoinRequest.parse(body);
  const runnerId = uuidv7();
  const { region, certificate } = await database.transaction().execute(async (tx) => {
    const taken = await takeJoinToken(tx, token);
    if ('refused' in taken) throw nodeErrors.join_refused({ why: refusals[taken.refused] });
    const made = await tx
      .insertInto('runners')
      .values({ id: runnerId, name, region: taken.region })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst();
    if (made === undefined) throw nodeErrors.runner_name_taken({ name });
    return { region: taken.region, certificate: await certify(authority, request, runnerId) };
  });
  logger.info({ runner: runnerId, name, region }, 'runner joined');
  return { runnerId, certificate, authority: authority.certificate };
}

export async function renew({ authority }: NodeContext, runnerId: string, body: unknown) {
  const { request } = RenewRequest.parse(body);
  return { certificate: await certify(authority, request, runnerId), authority: authority.certificate };
}

const certify = (authority: NodeContext['authority'], request: string, runnerId: string): Promise<string> =>
  authority.certifyRunner(request, runnerId).catch((error: unknown) => {
    throw nodeErrors.bad_certificate_request({}, error);
  });
