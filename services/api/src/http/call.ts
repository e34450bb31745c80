// What a handler gets. Everything in it was checked before: the caller, the workspace, the right, the input.
import type { Operation, Version } from '@berth/contract';
import type { Database, DatabaseTransaction } from '@berth/database';
import type { Principal } from '@berth/identity';
import type { z } from 'zod';
import type { AccountSettings } from '../accounts/settings.ts';
import type { Dependencies } from '../dependencies.ts';

export interface CallerWorkspace {
  readonly id: string;
  readonly name: string;
  readonly role: 'member' | 'admin';
  readonly account: AccountSettings;
}

/** Who calls, as found before the body is read. */
export interface Caller {
  readonly principal: Principal;
  /** Of the workspace named by header, query or path. */
  readonly workspace: CallerWorkspace;
  readonly accountId: string;
}

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

export interface Call<O extends Operation = Operation> extends Caller {
  readonly dependencies: Dependencies;
  readonly operation: O;
  readonly version: Version;
  readonly params: Parsed<O['params']>;
  readonly query: Parsed<O['query']>;
  readonly body: Parsed<NonNullable<O['body']>>;
  readonly requestId: string;
  /** Where the request came from, as far as this process sees. */
  readonly address: string;
  readonly trace: string | undefined;
  /** Aborts when nobody waits for the answer any more. */
  clientGone(): AbortSignal;
}

/** Turns the answer of a transaction into what the client gets once what follows the commit has happened. */
export type Settling = (answer: unknown) => Promise<unknown>;

export interface ReadCall<O extends Operation = Operation> extends Call<O> {
  readonly database: Database;
  /** The answer shows secrets of this target: the audit log says so before it is sent. */
  showsSecretsOf(target: string): void;
}

export interface WriteCall<O extends Operation = Operation> extends Call<O> {
  /** The one transaction of the request: what the handler writes, its audit row and its stored answer. */
  readonly tx: DatabaseTransaction;
  /** Names what was changed, for the audit log. */
  target(name: string): void;
  /** Work on rows that many writers share, such as counters: done after everything else, so they are locked shortly. */
  atLast(work: () => Promise<void>): void;
  /**
   * Leaves the work that follows the write, for the resource of this uid; whoever does it hears of it after the commit. What
   * is settled for the client already waits for half a second, or a second and a half: it must not slow down what comes next.
   */
  follow(uid: string, urgency?: 'now' | 'settled'): Promise<void>;
  /** What this process remembers and the write made untrue; done once the write is there for everyone. */
  afterCommit(work: () => void): void;
  /**
   * What the client waits for after the commit. An Idempotency-Key keeps the answer of the transaction from its commit on, and
   * this one instead once it is there: a repeated request gets the record as it stood, never a second one.
   */
  beforeAnswer(work: Settling): void;
}

/** Answer that is written piece by piece. */
export class StreamedAnswer {
  readonly chunks: AsyncIterable<string>;
  constructor(chunks: AsyncIterable<string>) {
    this.chunks = chunks;
  }
}

export interface Registration {
  readonly operation: Operation;
  readonly read?: (call: ReadCall) => Promise<unknown>;
  readonly write?: (call: WriteCall, prepared: unknown) => Promise<unknown>;
  /** Slow work with the outside world that must not hold the transaction open; its result is handed to `write`. */
  readonly prepare?: (call: ReadCall) => Promise<unknown>;
}

// The dispatcher parses input with the operation's own schemas before it calls: that is what makes the assertions true.
export function read<O extends Operation>(
  operation: O,
  handler: (call: ReadCall<O>) => Promise<unknown>,
): Registration {
  // biome-ignore lint/plugin: see above
  return { operation, read: handler as (call: ReadCall) => Promise<unknown> };
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
