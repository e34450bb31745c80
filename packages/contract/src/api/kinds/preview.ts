// Preview: an address for one port of a sandbox, public or with a token. Control-plane sheet 1.8, 2.9, 4.8.
import { z } from 'zod';
import { clearable, PrefixUrl, PreviewHeaders, PreviewPort } from '../schema/preview.ts';
import { QueryBoolean } from '../schema/query.ts';
import { readOnly } from '../schema/read-only.ts';
import { MetadataInput, Status, stamps, statuses } from '../schema/shared.ts';
import { DomainName, Duration, HttpUrl, Instant, RegionName } from '../schema/text.ts';
import { defineKind, permissions, readyAtOnce } from './kind.ts';

export const preview = defineKind({
  kind: 'preview',
  title: 'Preview',
  plural: 'Previews',
  tag: 'Previews',
  path: '/sandboxes/{sandboxName}/previews',
  param: 'previewName',
  parents: [{ kind: 'sandbox', param: 'sandboxName' }],
  metadataInput: MetadataInput.pick({ name: true, displayName: true }),
  metadata: z
    .object({
      name: z.string(),
      displayName: z.string().optional(),
      resourceName: readOnly(z.string().optional()),
      resourceType: readOnly(z.string().optional()),
      ...stamps,
    })
    .meta({ id: 'PreviewMetadata' }),
  spec: z.object({
    customDomain: clearable(DomainName).optional().describe('A verified custom domain of the workspace.'),
    expires: clearable(Instant).optional(),
    port: PreviewPort,
    prefixUrl: clearable(PrefixUrl).optional(),
    public: z.boolean().optional().describe('Private when left out: callers need a token.'),
    requestHeaders: PreviewHeaders.nullable().optional(),
    responseHeaders: PreviewHeaders.nullable().optional(),
    ttl: clearable(Duration).optional(),
  }),
  specReadOnly: { region: RegionName, url: HttpUrl },
  specDefaults: { public: false },
  status: Status,
  statuses,
  immutable: [],
  secrets: [],
  listing: { paged: false, filters: [] },
  permissions: {
    ...permissions({ list: 'sandboxes:get', get: 'sandboxes:get', delete: 'sandboxes:delete' }),
    // Creating a preview gives its creator access to the sandbox, so a key that may not call sandboxes may not create
    // one.
    create: { role: 'member', scopes: ['sandboxes:create', 'sandboxes:call'] },
    replace: { role: 'member', scopes: ['sandboxes:update', 'sandboxes:call'] },
  },
  createQuery: { force: QueryBoolean.optional() },
  quota: 'previews',
  arrival: readyAtOnce,
});
