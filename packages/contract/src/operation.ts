// An operation is data: what is asked, who may ask, what comes back. Routes, OpenAPI, the authorization matrix and the
// fuzzer are all read from it.
import type { z } from 'zod';
import type { Scope } from './scopes.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
export type WorkspaceRole = 'member' | 'admin';

/** Who may call; one of these, never none: an operation without a rule does not type-check. */
export type Access =
  /** No credential is looked at. */
  | { readonly kind: 'public' }
  /** Any valid credential. */
  | { readonly kind: 'authenticated'; readonly scopes: readonly Scope[] }
  /** The account in the path; foreign and missing look the same (404). */
  | { readonly kind: 'account'; readonly role: 'member' | 'admin'; readonly scopes: readonly Scope[] }
  /** The workspace chosen by header or query; foreign and missing look the same (403). */
  | { readonly kind: 'workspace'; readonly role: WorkspaceRole; readonly scopes: readonly Scope[] }
  /** The workspace in the path (`workspaceName` or `workspace`); foreign and missing look the same (404). */
  | { readonly kind: 'workspaceInPath'; readonly role: WorkspaceRole; readonly scopes: readonly Scope[] };

/** Path parameters are text, whatever they name. */
export type PathSchema = z.ZodType<Readonly<Record<string, string>>>;

export interface Operation<
  Params extends PathSchema = PathSchema,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Answer extends z.ZodType = z.ZodType,
> {
  /** Unique, camelCase; also the OpenAPI operationId. */
  readonly id: string;
  readonly method: Method;
  /** OpenAPI form, relative to `base`. */
  readonly path: string;
  /** `api_url` is the host without the version prefix. */
  readonly base?: 'base_url' | 'api_url';
  readonly tag: string;
  readonly summary: string;
  readonly access: Access;
  readonly params: Params;
  readonly query: Query;
  /** Takes the place of `query` for versions without wrapped lists, where paging parameters are ignored. */
  readonly queryBeforeWrappedLists?: z.ZodType;
  /** Absent: a body is not read. */
  readonly body?: Body;
  readonly bodyLimitBytes?: number;
  /** The body of status 200. */
  readonly answer: Answer;
  /** Statuses other than 200 that only this operation gives, beside the generic ones. */
  readonly errors?: readonly number[];
  /** Errors found after the caller is known take the sandbox form (control-plane sheet 2.8). */
  readonly errorForm?: 'sandbox';
  /** Action written to the audit log; every operation that changes something has one. */
  readonly audit?: string;
  /** Action written to the audit log when a read shows secrets, before they are answered. */
  readonly auditRead?: string;
  /** Not in the interface that this one is compatible with: our own. */
  readonly isAddition?: true;
  /** The answer shows a secret. Stored copies of answers are encrypted whether or not; this tells where to look for leaks. */
  readonly secretAnswer?: true;
}

/** Keeps the schemas' types, so that a handler is typed by its operation. */
export function defineOperation<P extends PathSchema, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType>(
  operation: Operation<P, Q, B, A>,
): Operation<P, Q, B, A> {
  return operation;
}

export const isWrite = (operation: Operation): boolean => operation.method !== 'GET';
