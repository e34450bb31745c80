// Custom domain. Control-plane sheet 2.15, 4.11.

import { randomBytes } from 'node:crypto';
import { customDomain } from '@berth/contract';
import type { JsonObject } from '@berth/database';
import type { KindRules } from '../resources/rules.ts';
import { resolveRegion, withoutAuto } from '../rules/regions.ts';
import { without } from '../rules/spec-fields.ts';
import { claimDomain } from './claim-domain.ts';
import { recordsFor } from './records.ts';
import { requireNoPreviews } from './require-no-previews.ts';
import { showSubdomains } from './subdomains.ts';

export const customDomainRules: KindRules = {
  kind: customDomain,
  normalize: withoutAuto,
  async beforeCreate(context, draft) {
    const region = await resolveRegion(context, draft);
    const { brand, workloadDomain } = context.dependencies.config;
    const token = randomBytes(16).toString('hex');
    const records = recordsFor({ domain: draft.name, region, token, brand: brand.short, workloadDomain });
    draft.spec = { ...withoutFallback(draft.spec), ...records };
  },
  async afterCreate({ tx, workspace }, row) {
    await claimDomain(tx, workspace.id, row);
    return row;
  },
  async beforeReplace(_context, draft) {
    draft.spec = withoutFallback(draft.spec);
  },
  beforeDelete: requireNoPreviews,
  render: { related: showSubdomains },
};

/** An empty string removes the fallback preview. */
const withoutFallback = (spec: JsonObject): JsonObject =>
  spec.fallbackPreviewId === '' ? without(spec, 'fallbackPreviewId') : spec;
