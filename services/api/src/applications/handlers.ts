// Revisions and custom domains of applications. Control-plane sheet 1.9.
import { application, createApplicationCustomDomain, listApplicationRevisions, requestErrors } from '@berth/contract';
import type { Database } from '@berth/database';
import { customDomainRules } from '../domains/rules.ts';
import { type Registration, read, write } from '../http/call.ts';
import { createResource } from '../resources/create.ts';
import { findLive, type ResourceRow } from '../resources/record.ts';
import { loadRevisions } from './revisions.ts';

async function requireApplication(database: Database, workspaceId: string, name: string): Promise<ResourceRow> {
  const row = await findLive(database, { workspaceId, kind: application.kind }, name);
  if (row === undefined) throw requestErrors.not_found();
  return row;
}

export const applicationHandlers: readonly Registration[] = [
  read(listApplicationRevisions, async ({ database, workspace, params }) => {
    const { uid } = await requireApplication(database, workspace.id, params.applicationName);
    return (await loadRevisions(database, application, [uid])).get(uid) ?? [];
  }),
  write(createApplicationCustomDomain, async (call) => {
    const { name, uid } = await requireApplication(call.tx, call.workspace.id, call.params.applicationName);
    const { metadata, spec } = call.body;
    if (spec.domainType === 'previews')
      throw requestErrors.invalid_request({
        reason: 'spec.domainType is previews, but the domain of an application is for applications. Leave it out.',
      });
    return createResource(
      call,
      customDomainRules,
      { metadata, spec: { ...spec, domainType: 'applications' } },
      { state: { application: name, applicationUid: uid } },
    );
  }),
];
