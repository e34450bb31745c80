// What is special about a kind. Everything else is the same for all and lives beside this file.
import type { Kind } from '@berth/contract';
import type { Database, DatabaseTransaction, JsonObject } from '@berth/database';
import type { Principal } from '@berth/identity';
import type { Dependencies } from '../dependencies.ts';
import type { CallerWorkspace, ReadCall, Settling } from '../http/call.ts';
import type { NewEvent } from './events.ts';
import type { ResourceRow } from './record.ts';
import type { Finish, Rendered, View } from './render.ts';

export interface RuleContext {
  readonly tx: DatabaseTransaction;
  readonly dependencies: Dependencies;
  readonly workspace: CallerWorkspace;
  readonly principal: Principal;
  readonly kind: Kind;
  /** Query parameters of the operation, parsed by its schema. */
  readonly query: Readonly<Record<string, unknown>>;
  /** The rows named in the path above this one, outermost first. */
  readonly parents: readonly ResourceRow[];
  atLast(work: () => Promise<void>): void;
  afterCommit(work: () => void): void;
  beforeAnswer(work: Settling): void;
  clientGone(): AbortSignal;
  /** The resource as it stands after the commit; undefined when it is gone. */
  readAgain(uid: string): Promise<Rendered | undefined>;
}

/** A resource on its way into the store; rules may refuse it or fill it in. */
export interface Draft {
  readonly uid: string;
  name: string;
  displayName: string | undefined;
  externalId: string | undefined;
  labels: Readonly<Record<string, string>> | undefined;
  spec: JsonObject;
  state: JsonObject | undefined;
  status: string | undefined;
  /** Written in the same transaction, in this order. */
  events: NewEvent[];
}

/** A live row that already bears the name of one to be created, and what becomes of the request. */
export interface Standing {
  readonly row: ResourceRow;
  /** The row is the answer, or it makes room for the new one. */
  readonly verdict: 'answer' | 'replace';
}

/** Deleted by its caller, or in the way of a new one of the same name. */
export type EndReason = 'deleted' | 'replaced';

export interface KindRules {
  /** What the caller sent, before it meets defaults or the stored spec. */
  sent?(spec: JsonObject): JsonObject;
  /** Looks at the row that bears the name; undefined leaves it to the unique index. `lost`: it was written meanwhile. */
  standing?(context: RuleContext, name: string, when: 'before' | 'lost'): Promise<Standing | undefined>;
  /** Before the row is written. */
  create?(context: RuleContext, draft: Draft): Promise<void>;
  /** After it is written, for rows that refer to it; returns the row as it then stands. Its events are still to be written. */
  created?(context: RuleContext, row: ResourceRow, draft: Draft): Promise<ResourceRow>;
  replace?(context: RuleContext, draft: Draft, previous: ResourceRow): Promise<void>;
  /** After the change is written, for rows that follow from it; returns the row as it then stands. */
  replaced?(context: RuleContext, row: ResourceRow): Promise<ResourceRow>;
  /** Before the row goes; throws when it must not. */
  delete?(context: RuleContext, row: ResourceRow): Promise<void>;
  /** Adds what is special about the kind's answer. */
  readonly finish?: Finish;
  /** Adds to every answer what other tables hold about the rows. */
  relate?(
    database: Database,
    items: readonly Rendered[],
    rows: readonly ResourceRow[],
    view: View,
  ): Promise<Rendered[]>;
  /** Adds what only the answer to this write shows; `spec` is the written one before its secrets were sealed. */
  written?(rendered: Rendered, spec: JsonObject): Rendered;
  /** Adds to the items of one listed page what is asked for all of them at once. */
  finishItems?(call: ReadCall, items: readonly Rendered[], rows: readonly ResourceRow[]): Promise<unknown[]>;
  /** Ends it in place of removing the row, which stays for a while. What is below it goes with it. */
  terminate?(context: RuleContext, row: ResourceRow, reason: EndReason): Promise<ResourceRow>;
  /** Finds a terminated row that is still shown. */
  findTerminated?(call: ReadCall, name: string): Promise<ResourceRow | undefined>;
}
