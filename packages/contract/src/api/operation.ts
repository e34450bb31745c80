// An operation is data: its input, its access rule, its answer. Routes, OpenAPI, the authorization matrix and the
// fuzzer are all derived from it.
import type { z } from 'zod';
import type { Scope } from './scopes.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
export type WorkspaceRole = 'member' | 'admin';

/** Access rule. An operation without one does not type-check. */
export type Access =
  /** Credentials are ignored. */
  | { readonly kind: 'public' }
  /** Any valid credential. */
  | { readonly kind: 'authenticated'; readonly scopes: readonly Scope[] }
  /** The account in the path; foreign and missing look the same (404). */
  | { readonly kind: 'account'; readonly role: 'member' | 'admin'; readonly scopes: readonly Scope[] }
  /** The workspace chosen by header or query; foreign and missing look the same (403). */
  | { readonly kind: 'workspace'; readonly role: WorkspaceRole; readonly scopes: readonly Scope[] }
  /** The workspace in the path (`workspaceName` or `workspace`); foreign and missing look the same (404). */
  | { readonly kind: 'workspaceInPath'; readonly role: WorkspaceRole; readonly scopes: readonly Scope[] };

/** Path parameters are always text. */
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
  /** Without a schema the body is not read. */
  readonly body?: Body;
  readonly bodyLimitBytes?: number;
  /** Body of status 200. */
  readonly answer: Answer;
  /** The query parameter `format` chooses an answer of type text/csv instead. */
  readonly answersCsv?: true;
  /** Error statuses that only this operation gives, besides the generic ones. */
  readonly errors?: readonly number[];
  /** Errors found after the caller is known take the sandbox form (control-plane sheet 2.8). */
  readonly errorForm?: 'sandbox';
  /** Action written to the audit log; every operation that changes something has one. */
  readonly audit?: string;
  /** Action written to the audit log when a read shows secrets, before they are answered. */
  readonly auditRead?: string;
  /** Our own operation: it is not in the interface that this API is compatible with. */
  readonly isAddition?: true;
  /**
   * The answer shows a secret, so a repeated answer is audited, and tests look for leaks there. Stored answers are
   * always encrypted.
   */
  readonly secretAnswer?: true;
}

/** Keeps the schemas' types, so that a handler is typed by its operation. */
export function defineOperation<P extends PathSchema, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType>(
  operation: Operation<P, Q, B, A>,
): Operation<P, Q, B, A> {
  return operation;
}
