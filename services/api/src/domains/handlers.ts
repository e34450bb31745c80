// Verifies a custom domain. DNS is queried before the transaction, so that a slow name server holds no lock.
import { customDomain, requestErrors, verifyCustomDomain } from '@berth/contract';
import type { JsonObject } from '@berth/database';
import { sql } from 'kysely';
import { type Registration, type WriteCall, writeAfter } from '../http/call.ts';
import { present } from '../resources/present.ts';
import { findLive, lockLive, type ResourceRow, resourceColumns } from '../resources/record.ts';
import { ruleContext } from '../resources/rule-context.ts';
import { section, textOf, without } from '../rules/spec-fields.ts';
import { requireNoOwnerAbove } from './claim-domain.ts';
import { lookUp } from './look-up.ts';
import { type DomainRecords, type FoundRecords, missingRecords } from './records.ts';
import { customDomainRules } from './rules.ts';

interface DnsResult {
  readonly uid: string;
  readonly found: FoundRecords | undefined;
}

const expectedRecords = ({ spec }: ResourceRow): DomainRecords => ({
  cnameRecords: textOf(spec.cnameRecords) ?? '',
  txtRecords: Object.fromEntries(
    Object.entries(section(spec, 'txtRecords')).map(([name, value]) => [name, textOf(value) ?? '']),
  ),
});

/** Spec of the domain after the DNS query. When DNS does not answer, the previous status stays. */
function verifiedSpec(row: ResourceRow, found: FoundRecords | undefined, now: Date): JsonObject {
  const spec = without(row.spec, 'verificationError');
  if (found === undefined)
    return { ...spec, verificationError: 'DNS gave no answer. Check the name servers of the domain and try again.' };
  const missing = missingRecords(row.name, expectedRecords(row), found);
  if (missing.length > 0) return { ...spec, status: 'failed', verificationError: missing.join(' ') };
  return { ...spec, status: 'verified', lastVerifiedAt: now.toISOString() };
}

async function verify(call: WriteCall<typeof verifyCustomDomain>, { uid, found }: DnsResult): Promise<unknown> {
  const { tx, workspace, dependencies } = call;
  const row = await lockLive(tx, { workspaceId: workspace.id, kind: customDomain.kind }, call.params.domainName);
  if (row?.uid !== uid) throw requestErrors.not_found();
  call.target(`${customDomain.kind}/${row.name}`);
  const spec = verifiedSpec(row, found, new Date(dependencies.now()));
  if (spec.status === 'verified') await requireNoOwnerAbove(tx, workspace.id, row.name);
  const changed = await tx
    .updateTable('resources')
    .set({ spec: JSON.stringify(spec), updated_at: sql`now()`, updated_by: call.principal.subject })
    .where('uid', '=', uid)
    .returning(resourceColumns)
    .executeTakeFirstOrThrow();
  await call.enqueueReconcile(uid);
  return present(call, customDomainRules, await ruleContext(call, customDomainRules), changed, []);
}

export const customDomainHandlers: readonly Registration[] = [
  writeAfter(
    verifyCustomDomain,
    async ({ database, workspace, params, dependencies }): Promise<DnsResult> => {
      const row = await findLive(database, { workspaceId: workspace.id, kind: customDomain.kind }, params.domainName);
      if (row === undefined) throw requestErrors.not_found();
      const servers = dependencies.config.dnsServers;
      return { uid: row.uid, found: await lookUp(row.name, expectedRecords(row), { servers }) };
    },
    verify,
  ),
];
