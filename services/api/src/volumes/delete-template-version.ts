// Deletes a version of a volume template. The last version can be deleted only with its template. Control-plane sheet
// 1.11, 4.10.
import { deleteVolumeTemplateVersion, requestErrors, volumeTemplate } from '@berth/contract';
import { sql } from 'kysely';
import { type Registration, write } from '../http/call.ts';
import { present } from '../resources/present.ts';
import { lockLive, resourceColumns } from '../resources/record.ts';
import { ruleContext } from '../resources/rule-context.ts';
import { kindErrors } from '../rules/errors.ts';
import { volumeTemplateRules } from './template-rules.ts';
import { versionsOf, withVersions } from './template-versions.ts';

export const volumeTemplateHandlers: readonly Registration[] = [
  write(deleteVolumeTemplateVersion, async (call) => {
    const { volumeTemplateName: name, versionName: version } = call.params;
    const row = await lockLive(call.tx, { workspaceId: call.workspace.id, kind: volumeTemplate.kind }, name);
    const versions = versionsOf(row?.state);
    if (row === undefined || !versions.some((one) => one.name === version)) throw requestErrors.not_found();
    if (versions.length === 1) throw kindErrors.only_version({ version, name });
    call.target(`${volumeTemplate.kind}/${name}:${version}`);
    const left = versions.filter((one) => one.name !== version);
    const changed = await call.tx
      .updateTable('resources')
      .set({
        state: JSON.stringify(withVersions(row.state, left)),
        updated_at: sql`now()`,
        updated_by: call.principal.subject,
      })
      .where('uid', '=', row.uid)
      .returning(resourceColumns)
      .executeTakeFirstOrThrow();
    await call.enqueueReconcile(row.uid);
    const template = await present(
      call,
      volumeTemplateRules,
      await ruleContext(call, volumeTemplateRules),
      changed,
      [],
    );
    return { message: `The version ${version} of ${name} is deleted.`, template };
  }),
];
