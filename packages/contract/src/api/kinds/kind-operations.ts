// The uniform operations of a kind, derived from its declaration.
import { z } from 'zod';
import { type Access, defineOperation, type Operation, type PathSchema } from '../operation.ts';
import { pathParams } from '../path-params.ts';
import { pageOrArray } from '../schema/page.ts';
import { pageQuery, QueryBoolean, type Sort, statusQuery, WorkspaceQuery } from '../schema/query.ts';
import { allReadOnly, readOnly } from '../schema/read-only.ts';
import { CoreEvent, MetadataInput, MetadataReplacement, RevisionMetadata } from '../schema/shared.ts';
import { ExternalId } from '../schema/text.ts';
import type { Kind, Verb } from './kind.ts';

const once = <T>(make: (kind: Kind) => T) => {
  const made = new Map<string, T>();
  return (kind: Kind): T => {
    const known = made.get(kind.kind);
    if (known !== undefined) return known;
    const value = make(kind);
    made.set(kind.kind, value);
    return value;
  };
};

/** Schema of the resource as a client sends it. */
export const resourceInput = once((kind: Kind) =>
  z
    .object({ metadata: kind.metadataInput, spec: kind.spec.meta({ id: `${kind.title}Spec` }) })
    .meta({ id: `${kind.title}Input` }),
);

const replaceInput = once((kind: Kind) =>
  z.object({ metadata: replacedMetadata(kind), spec: kind.spec.partial() }).meta({ id: `${kind.title}Replacement` }),
);

/** Schema of the resource as a client receives it. */
export const resourceSchema = once((kind: Kind) =>
  z
    .object({
      metadata: kind.metadata,
      spec: kind.spec
        .extend({ ...allReadOnly(kind.specReadOnly ?? {}), ...kind.specShown })
        .partial()
        .meta({ id: `${kind.title}Spec` }),
      ...(kind.status === undefined
        ? {}
        : { events: readOnly(z.array(CoreEvent).optional()), status: readOnly(kind.status.optional()) }),
      ...(kind.state === undefined ? {} : { state: readOnly(kind.state.optional()) }),
      ...allReadOnly(kind.readOnly ?? {}),
    })
    .meta({ id: kind.title }),
);

const replacedMetadata = ({ metadataInput }: Kind): z.ZodObject =>
  metadataInput === MetadataInput ? MetadataReplacement : metadataInput.partial({ name: true });

const listItem = once((kind: Kind): z.ZodType => {
  if (kind.listing.item !== undefined) return kind.listing.item;
  if (kind.listing.withoutEvents !== true) return resourceSchema(kind);
  return resourceSchema(kind)
    .omit({ events: true })
    .meta({ id: `${kind.title}ListItem` });
});

const pagedAnswer = once((kind: Kind) => pageOrArray(`${kind.title}List`, listItem(kind)));

function access(kind: Kind, verb: Verb): Access {
  const permission = kind.permissions[verb];
  if (permission === undefined) throw new Error(`${kind.kind} declares no permission for ${verb}`);
  return { kind: 'workspace', ...permission };
}

const filtersOnEveryVersion = (kind: Kind) => ({
  ...(kind.listing.filters.includes('externalId') ? { externalId: ExternalId.optional() } : {}),
  ...(kind.listing.filters.includes('showTerminated') ? { showTerminated: QueryBoolean.optional() } : {}),
});

function listQuery(kind: Kind) {
  const always = WorkspaceQuery.extend(filtersOnEveryVersion(kind));
  if (!kind.listing.paged) return { query: always };
  const paged = always.extend(pageQuery);
  const status = kind.listing.filters.includes('status') ? { status: statusQuery(kind.statuses ?? []) } : {};
  return { query: paged.extend(status), queryBeforeWrappedLists: always };
}

/** Query parameters of all uniform operations; a kind may offer only some. */
export interface KindQuery {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
  readonly sort?: Sort | undefined;
  readonly q?: string | undefined;
  readonly anchor?: 'end' | undefined;
  readonly status?: readonly string[] | undefined;
  readonly externalId?: string | undefined;
  readonly showTerminated?: boolean | undefined;
  readonly show_secrets?: boolean | undefined;
  readonly upload?: boolean | undefined;
  readonly createIfNotExist?: boolean | undefined;
  readonly version?: string | undefined;
}

/** Body of the uniform writes; a kind's own schema may have further fields. */
export interface ResourceBody {
  readonly metadata: {
    readonly name?: string | undefined;
    readonly displayName?: string | undefined;
    readonly externalId?: string | undefined;
    readonly labels?: Readonly<Record<string, string>> | undefined;
  };
  readonly spec: Readonly<Record<string, unknown>>;
}

export type UniformOperation = Operation<PathSchema, z.ZodType<KindQuery>, z.ZodType<ResourceBody>>;

const makers: Readonly<Record<Verb, (kind: Kind) => Operation>> = {
  list: (kind) =>
    defineOperation({
      ...common(kind, 'list', `list${kind.plural}`, 'GET', kind.path),
      summary: `List the ${words(kind.plural)} of the workspace`,
      ...listQuery(kind),
      answer: kind.listing.paged ? pagedAnswer(kind) : z.array(listItem(kind)),
    }),
  create: (kind) =>
    defineOperation({
      ...common(kind, 'create', `create${kind.title}`, 'POST', kind.path),
      summary: `Create ${one(kind)}`,
      query: WorkspaceQuery.extend({ ...upload(kind), ...kind.createQuery }),
      body: resourceInput(kind),
      answer: resourceSchema(kind),
      audit: `${kind.kind}.create`,
      ...reveals(kind),
      ...(kind.createErrorForm === undefined ? {} : { errorForm: kind.createErrorForm }),
    }),
  get: (kind) =>
    defineOperation({
      ...common(kind, 'get', `get${kind.title}`, 'GET', `${kind.path}/{${kind.param}}`),
      summary: `Read one ${words(kind.title)}`,
      query: WorkspaceQuery.extend(kind.showSecrets === true ? { show_secrets: QueryBoolean.optional() } : {}),
      answer: resourceSchema(kind),
      ...(kind.showSecrets === true ? { auditRead: `${kind.kind}.read-secrets` } : {}),
    }),
  replace: (kind) =>
    defineOperation({
      ...common(kind, 'replace', `update${kind.title}`, 'PUT', `${kind.path}/{${kind.param}}`),
      summary: kind.upsert === true ? `Create or change ${one(kind)}` : `Change ${one(kind)}`,
      query: WorkspaceQuery.extend({ ...upload(kind), ...kind.replaceQuery }),
      body: replaceInput(kind),
      answer: resourceSchema(kind),
      audit: `${kind.kind}.update`,
      ...reveals(kind),
    }),
  delete: (kind) =>
    defineOperation({
      ...common(kind, 'delete', `delete${kind.title}`, 'DELETE', `${kind.path}/{${kind.param}}`),
      summary: `Delete ${one(kind)}`,
      query: WorkspaceQuery,
      answer: kind.deleteAnswer ?? resourceSchema(kind),
      audit: `${kind.kind}.delete`,
    }),
  revisions: (kind) =>
    defineOperation({
      ...common(kind, 'revisions', `list${kind.title}Revisions`, 'GET', `${kind.path}/{${kind.param}}/revisions`),
      summary: `List the stored revisions of ${one(kind)}`,
      query: WorkspaceQuery,
      answer: z.array(RevisionMetadata),
    }),
  byExternalId: (kind) =>
    defineOperation({
      ...common(
        kind,
        'byExternalId',
        `get${kind.title}ByExternalId`,
        'GET',
        `${kind.path}/by-external-id/{externalId}`,
      ),
      summary: `Find the newest ${words(kind.title)} with an external id`,
      query: WorkspaceQuery,
      answer: resourceSchema(kind),
    }),
};

const upload = (kind: Kind) => (kind.upload === true ? { upload: QueryBoolean.optional() } : {});

const reveals = (kind: Kind) => (kind.revealsSecretOnWrite === true ? { secretAnswer: true as const } : {});

const words = (title: string): string => title.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();

const one = (kind: Kind): string => `${/^[aei]/i.test(kind.title) ? 'an' : 'a'} ${words(kind.title)}`;

function common(kind: Kind, verb: Verb, id: string, method: Operation['method'], path: string) {
  return { id, method, path, tag: kind.tag, access: access(kind, verb), params: pathParams(path) };
}

export interface KindOperation {
  readonly kind: Kind;
  readonly verb: Verb;
  readonly operation: UniformOperation;
}

/** One operation for each verb that the kind has a permission for. */
export function operationsOf(kind: Kind): KindOperation[] {
  const verbs = Object.keys(makers).filter((verb): verb is Verb => verb in kind.permissions);
  // The schemas are assembled from the declaration, so their types are only known as a whole: every part that a maker
  // adds belongs to KindQuery or ResourceBody.
  // biome-ignore lint/plugin: see above
  return verbs.map((verb) => ({ kind, verb, operation: makers[verb](kind) as UniformOperation }));
}
