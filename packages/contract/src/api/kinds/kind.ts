// A kind is declared once, in a file of this folder. Its schemas, uniform operations, storage rules, OpenAPI, client
// types and the authorization matrix all follow from the declaration.
import type { z } from 'zod';
import type { WorkspaceRole } from '../operation.ts';
import type { Status } from '../schema/shared.ts';
import type { Scope } from '../scopes.ts';

/** Status of a new or changed resource, and the event that explains it. */
export interface Arrival {
  readonly status: string;
  readonly type: 'deployment' | 'deactivation';
  readonly message: string;
}

/**
 * A place inside `spec` that holds a secret. `path` names keys; `*` stands for every element or every key.
 * - `masked`: shown as `***`; a workspace admin may ask for the value.
 * - `never`: left out of every answer.
 */
export interface SecretField {
  readonly path: readonly string[];
  readonly shown: 'masked' | 'never';
  /** Applies only where the object that holds the value has this boolean set. */
  readonly when?: string;
}

export interface Permission {
  readonly role: WorkspaceRole;
  readonly scopes: readonly Scope[];
}

export type Verb = 'list' | 'create' | 'get' | 'replace' | 'delete' | 'revisions' | 'byExternalId';

export interface Listing {
  /** Wrapped and paged from the version that has `wrappedLists`; otherwise a bare array in every version. */
  readonly paged: boolean;
  readonly filters: readonly ('status' | 'externalId' | 'showTerminated')[];
  /** Item of the list when it differs from the resource. */
  readonly item?: z.ZodType;
  /** Events are left out of list items. */
  readonly withoutEvents?: true;
}

export interface Kind {
  /** Singular, lower case; also the value of the `kind` column. */
  readonly kind: string;
  /** Schema name, such as `Drive`; operation ids are built from it and from `plural`. */
  readonly title: string;
  readonly plural: string;
  readonly tag: string;
  /** Collection path relative to base_url, with the parents' parameters in it. */
  readonly path: string;
  /** Name of the path parameter of one item. */
  readonly param: string;
  /** Kinds that hold this one, outermost first. */
  readonly parents?: readonly { readonly kind: string; readonly param: string }[];
  readonly metadataInput: z.ZodObject;
  readonly metadata: z.ZodObject;
  readonly spec: z.ZodObject;
  /** Further `spec` fields that only the service sets. */
  readonly specReadOnly?: Readonly<Record<string, z.ZodType>>;
  /** Answered form of the `spec` fields whose answer holds more than a client may send. */
  readonly specShown?: z.ZodRawShape;
  /** Filled into `spec` on creation where the caller left a field out. */
  readonly specDefaults?: Readonly<Record<string, unknown>>;
  readonly state?: z.ZodType;
  /** Set when the kind carries `status` and `events`. */
  readonly status?: z.ZodType;
  /** Values of the listing's status filter. */
  readonly statuses?: readonly string[];
  /** Further top-level fields of the resource, all set by the service. */
  readonly readOnly?: Readonly<Record<string, z.ZodType>>;
  /** Dotted paths below the resource that may not change after creation. */
  readonly immutable: readonly string[];
  readonly secrets: readonly SecretField[];
  readonly listing: Listing;
  readonly permissions: Readonly<Partial<Record<Verb, Permission>>>;
  /** PUT creates the resource when the name does not exist. */
  readonly upsert?: true;
  /** Answer of DELETE when it is not the resource. */
  readonly deleteAnswer?: z.ZodType;
  /** `show_secrets` is offered on GET. */
  readonly showSecrets?: true;
  /** `upload` is part of create and replace. */
  readonly upload?: true;
  /** Error form of create. */
  readonly createErrorForm?: 'sandbox';
  /** A change of the deployable spec creates a revision and restarts the kind's arrival. */
  readonly revisions?: true;
  /** The kind runs instances: deactivation and deletion are complete once the instances have stopped. */
  readonly runs?: true;
  /** Name of the account limit that counts resources of this kind. */
  readonly quota?: string;
  /** Further query parameters of create. */
  readonly createQuery?: z.ZodRawShape;
  /** Further query parameters of replace. */
  readonly replaceQuery?: z.ZodRawShape;
  /** Create and replace return a newly made secret in clear. */
  readonly revealsSecretOnWrite?: true;
  readonly arrival?: (spec: Readonly<Record<string, unknown>>) => Arrival;
}

export function defineKind<const K extends Kind>(kind: K): K {
  return kind;
}

type Actions = Readonly<Partial<Record<'list' | 'create' | 'get' | 'update' | 'delete', Scope>>>;

/** Permissions for the usual five verbs, one scope each. Members read; `writeRole` is needed to write. */
export function permissions(scopes: Actions, writeRole: WorkspaceRole = 'member'): Partial<Record<Verb, Permission>> {
  const rule = (role: WorkspaceRole, scope: Scope | undefined) =>
    scope === undefined ? {} : { role, scopes: [scope] };
  const entries: [Verb, WorkspaceRole, Scope | undefined][] = [
    ['list', 'member', scopes.list],
    ['create', writeRole, scopes.create],
    ['get', 'member', scopes.get],
    ['replace', writeRole, scopes.update],
    ['delete', writeRole, scopes.delete],
  ];
  return Object.fromEntries(
    entries.filter(([, , scope]) => scope !== undefined).map(([verb, role, scope]) => [verb, rule(role, scope)]),
  );
}

/** Every kind with `spec.enabled` can be switched off by it. */
const unlessDisabled =
  (arrival: Arrival) =>
  (spec: Readonly<Record<string, unknown>>): Arrival =>
    spec.enabled === false ? { status: 'DEACTIVATED', type: 'deactivation', message: 'Not enabled.' } : arrival;

/** Arrival of kinds that wait for something before they are ready. */
export const waitsFor = (what: string) =>
  unlessDisabled({ status: 'DEPLOYING' satisfies Status, type: 'deployment', message: `Waiting for ${what}.` });

/** Arrival of kinds that are complete once written. */
export const readyAtOnce = unlessDisabled({
  status: 'DEPLOYED' satisfies Status,
  type: 'deployment',
  message: 'Ready.',
});

/** The same, with what happens next. */
export const readyFor = (what: string) =>
  unlessDisabled({ status: 'DEPLOYED' satisfies Status, type: 'deployment', message: `Ready. ${what}` });

/** Hides values of an environment list that are marked as secret. */
export const envSecrets = (...path: string[]): SecretField => ({
  path: [...path, '*', 'value'],
  shown: 'masked',
  when: 'secret',
});
