// Application. Control-plane sheet 2.10; its spec includes its stored revisions.
import { application } from '@berth/contract';
import type { JsonObject } from '@berth/database';
import type { ResourceRow } from '../resources/record.ts';
import type { Draft, KindRules, RuleContext } from '../resources/rules.ts';
import { kindErrors } from '../rules/errors.ts';
import { checkImage } from '../rules/image-reference.ts';
import { checkMemory } from '../rules/memory-limit.ts';
import { requireRows } from '../rules/references.ts';
import { checkRegion, withoutAuto } from '../rules/regions.ts';
import { objectsOf, textOf } from '../rules/spec-fields.ts';
import { loadRevisions } from './revisions.ts';

export const applicationRules: KindRules = {
  kind: application,
  normalize: withoutAuto,
  beforeCreate: (context, draft) => check(context, draft),
  beforeReplace: check,
  render: {
    async related(database, items, rows) {
      const revisions = await loadRevisions(
        database,
        application,
        rows.map(({ uid }) => uid),
      );
      return items.map((item, index) => ({
        ...item,
        spec: { ...item.spec, revisions: revisions.get(rows[index]?.uid ?? '') ?? [] },
      }));
    },
  },
};

async function check(context: RuleContext, draft: Draft, previous?: ResourceRow): Promise<void> {
  checkRegion(context, draft);
  checkMemory(context, draft.spec.memory);
  await requireVerified(
    context,
    domainsOf(draft.spec).filter((name) => !domainsOf(previous?.spec).includes(name)),
  );
  const image = textOf(draft.spec.image);
  if (image === undefined) return;
  if (draft.spec.proxy === true) {
    await requireRows(context, { kind: 'sandbox', field: 'spec.image', names: [image] });
    return;
  }
  await checkImage(context, 'spec.image', image);
}

const domainsOf = (spec: JsonObject | undefined): string[] =>
  objectsOf(spec?.urls).flatMap(({ domain }) => textOf(domain) ?? []);

/** An application may be served only on domains that were verified here. */
async function requireVerified(context: RuleContext, names: readonly string[]): Promise<void> {
  const domains = await requireRows(context, { kind: 'customdomain', field: 'spec.urls', names });
  const open = domains.find(({ spec }) => spec.status !== 'verified');
  if (open !== undefined) throw kindErrors.domain_not_verified({ name: open.name });
}
