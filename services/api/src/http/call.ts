// The call that a handler receives. The caller, the workspace, the permission and the input are already checked.
import type { Operation, Version } from '@berth/contract';
import type { Database, DatabaseTransaction } from '@berth/database';
import type { Principal } from '@berth/identity';
import type { z } from 'zod';
import type { Dependencies } from '../dependencies.ts';
import type { AccountSettings } from './account-settings.ts';

export interface CallerWorkspace {
  readonly id: string;
  readonly name: string;
  readonly role: 'member' | 'admin';
  readonly account: AccountSettings;
}

/** Caller of a request, identified before the body is read. */
export interface Caller {
  readonly principal: Principal;
  /** Workspace named by header, query or path. */
  readonly workspace: CallerWorkspace;
  readonly accountId: string;
}

/**
 * Adds the parts of the caller as getters, so that they stay lazy: reading a part that the operation does not declare
 * throws.
 */
export const withCaller = <Fields extends object>(caller: Caller, fields: Fields): Fields & Caller => ({
  ...fields,
  get principal() {
    return caller.principal;
  },
  get workspace() {
    return caller.workspace;
  },
  get accountId() {
    return caller.accountId;
  },
});

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

export interface Call<O extends Operation = Operation> extends Caller {
  readonly dependencies: Dependencies;
  readonly operation: O;
  readonly version: Version;
  readonly params: Parsed<O['params']>;
  readonly query: Parsed<O['query']>;
  readonly body: Parsed<NonNullable<O['body']>>;
  readonly requestId: string;
  /** Client address of the request, as far as this process can see it. */
  readonly address: string;
  readonly trace: string | undefined;
  /** Aborts when the client has closed its connection. */
  clientGone(): AbortSignal;
}

/**
 * `now`: the relay is notified at once. `background`: the client's request is already complete, so the relay finds the
 * row by polling, 0.5 to 1.5 seconds later, and this work does not slow down the next requests.
 */
export type Urgency = 'now' | 'background';

/** Work after the commit that turns the transaction's answer into the final response. */
export type BeforeAnswer = (answer: unknown) => Promise<unknown>;

export interface ReadCall<O extends Operation = Operation> extends Call<O> {
  readonly database: Database;
  /** Declares that the response shows secrets of this target; the audit row is written before the response is sent. */
  showsSecretsOf(target: string): void;
}

export interface WriteCall<O extends Operation = Operation> extends Call<O> {
  /** The single transaction of the request: the handler's rows, the audit row and the stored answer. */
  readonly tx: DatabaseTransaction;
  /** Sets the target of the change in the audit row. */
  target(name: string): void;
  /**
   * Registers work on rows that many writers share, such as counters. It runs last in the transaction, so that their
   * locks are held briefly.
   */
  beforeCommit(work: () => Promise<void>): void;
  /** Adds an outbox row: the orchestrator reconciles the resource with this uid after the commit. */
  enqueueReconcile(uid: string, urgency?: Urgency): Promise<void>;
  /** Registers work to run after the commit, such as invalidating an in-process cache. */
  afterCommit(work: () => void): void;
  /**
   * Registers work that the client waits for after the commit. The idempotency row holds the transaction's answer from
   * the commit on, and the answer of this work once it is done: a repeated request gets the record as it was then, and
   * never creates a second one.
   */
  beforeAnswer(work: BeforeAnswer): void;
}

/**
 * Response that is sent in chunks. A failure after the first chunk closes the connection, so that no client takes a part for
 * the whole.
 */
export class StreamedAnswer {
  readonly chunks: AsyncIterable<string>;
  readonly headers: Readonly<Record<string, string>>;
  constructor(chunks: AsyncIterable<string>, headers: Readonly<Record<string, string>> = jsonHeaders) {
    this.chunks = chunks;
    this.headers = headers;
  }
}

const jsonHeaders = { 'content-type': 'application/json; charset=utf-8' };

export interface Registration {
  readonly operation: Operation;
  readonly read?: (call: ReadCall) => Promise<unknown>;
  /**
   * Slow calls to outside systems, made after `read` has given its connection back. Receives what `read` found, and makes
   * the answer of it.
   */
  readonly finish?: (call: ReadCall, found: unknown) => Promise<unknown>;
  readonly write?: (call: WriteCall, prepared: unknown) => Promise<unknown>;
  /**
   * Slow calls to outside systems, made before the transaction so that they do not hold it open; the result is passed
   * to `write`.
   */
  readonly prepare?: (call: ReadCall) => Promise<unknown>;
}

// The casts below are safe because the dispatcher parses input with the operation's own schemas before it calls the
// handler.
export function read<O extends Operation>(
  operation: O,
  handler: (call: ReadCall<O>) => Promise<unknown>,
): Registration {
  // biome-ignore lint/plugin: see above
  return { operation, read: handler as (call: ReadCall) => Promise<unknown> };
}

export function readThen<O extends Operation, F>(
  operation: O,
  handler: (call: ReadCall<O>) => Promise<F>,
  finish: (call: ReadCall<O>, found: F) => Promise<unknown>,
): Registration {
  return {
    operation,
    // biome-ignore lint/plugin: see above
    read: handler as (call: ReadCall) => Promise<unknown>,
    // biome-ignore lint/plugin: see above
    finish: finish as (call: ReadCall, found: unknown) => Promise<unknown>,
  };
}

export function write<O extends Operation>(
  operation: O,
  handler: (call: WriteCall<O>) => Promise<unknown>,
): Registration {
  // biome-ignore lint/plugin: see above
  return { operation, write: handler as (call: WriteCall) => Promise<unknown> };
}

export function writeAfter<O extends Operation, P>(
  operation: O,
  prepare: (call: ReadCall<O>) => Promise<P>,
  handler: (call: WriteCall<O>, prepared: P) => Promise<unknown>,
): Registration {
  return {
    operation,
    // biome-ignore lint/plugin: see above
    prepare: prepare as (call: ReadCall) => Promise<unknown>,
    // biome-ignore lint/plugin: see above
    write: handler as (call: WriteCall, prepared: unknown) => Promise<unknown>,
  };
}
