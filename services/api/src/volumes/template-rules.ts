// Volume template. Control-plane sheet 2.12, 3.7, 4.10. No version becomes ready, because its content is uploaded to
// storage and there is none yet.
import { resourceErrors, volumeTemplate } from '@berth/contract';
import { uuidv7 } from '@berth/database';
import { limitOf } from '@berth/instances';
import type { Draft, KindRules, RuleContext } from '../resources/rules.ts';
import { textOf } from '../rules/spec-fields.ts';
import { versionsOf, withVersions } from './template-versions.ts';

export const volumeTemplateRules: KindRules = {
  kind: volumeTemplate,
  beforeCreate: async (context, draft) => addVersion(context, draft),
  beforeReplace: async (context, draft) => addVersion(context, draft),
  render: {
    one: (rendered, { name, state }, { workspace }) => {
      const versions = versionsOf(state);
      const latest = versions.at(-1);
      return {
        ...rendered,
        state: {
          status: 'created',
          versionCount: versions.length,
          ...(latest === undefined ? {} : { latestVersion: latest.name }),
        },
        versions: versions.map((version) => ({
          name: version.name,
          versionId: version.versionId,
          status: 'CREATED',
          templateName: name,
          workspace: workspace.name,
        })),
      };
    },
  },
};

/** The query names the version to create; an existing version stays as it is. */
function addVersion({ query, workspace, dependencies }: RuleContext, draft: Draft): void {
  const versions = versionsOf(draft.state);
  const name = textOf(query.version);
  if (name === undefined || versions.some((version) => version.name === name)) return;
  const limit = limitOf(workspace.account, dependencies.config, 'volume_template_versions');
  if (versions.length >= limit)
    throw resourceErrors.quota_exceeded({ limit, resourceType: 'volume_template_versions' });
  draft.state = withVersions(draft.state, [...versions, { name, versionId: uuidv7() }]);
}
