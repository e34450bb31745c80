// Hooks for the rules of a kind. Everything that all kinds share is in the files beside this one.
import type { Kind } from '@berth/contract';
import type { Database, DatabaseTransaction, JsonObject } from '@berth/database';
import type { Principal } from '@berth/identity';
import type { Dependencies } from '../dependencies.ts';
import type { BeforeAnswer, CallerWorkspace, ReadCall } from '../http/call.ts';
import type { NewEvent } from './events.ts';
import type { ResourceRow } from './record.ts';
import type { Rendered, RenderOne, View } from './render.ts';

export interface RuleContext {
  readonly tx: DatabaseTransaction;
  readonly dependencies: Dependencies;
  readonly workspace: CallerWorkspace;
  readonly principal: Principal;
  readonly kind: Kind;
  /** Query parameters of the operation, parsed by its schema. */
  readonly query: Readonly<Record<string, unknown>>;
  /** Parent rows named in the path, outermost first. */
  readonly parents: readonly ResourceRow[];
  beforeCommit(work: () => Promise<void>): void;
  afterCommit(work: () => void): void;
  beforeAnswer(work: BeforeAnswer): void;
  clientGone(): AbortSignal;
  /** W3C trace of the request. */
  readonly trace: string | undefined;
  /** The resource as stored after the commit; undefined when it is gone. */
  readAgain(uid: string): Promise<Rendered | undefined>;
}

/** A resource about to be written; rules may refuse or complete it. */
export interface Draft {
  readonly uid: string;
  name: string;
  displayName: string | undefined;
  externalId: string | undefined;
  labels: Readonly<Record<string, string>> | undefined;
  spec: JsonObject;
  state: JsonObject | undefined;
  status: string | undefined;
  /** Events to write in the same transaction, in this order. */
  events: NewEvent[];
}

/** A live row that already has the name of the resource to be created, and the outcome of the request. */
export interface NameConflict {
  readonly row: ResourceRow;
  /** `answer`: the existing row is the response. `replace`: it is ended to make room for the new one. */
  readonly outcome: 'answer' | 'replace';
}

/** `deleted`: by its caller. `replaced`: by a new resource of the same name. */
export type EndReason = 'deleted' | 'replaced';

export interface KindRules {
  readonly kind: Kind;
  /** Gateways route requests to resources of the kind, so they are notified of every change. */
  readonly served?: true;
  /** What is counted below a resource of the kind without being a kind itself. */
  readonly countedBelow?: readonly string[];
  /** Normalizes the sent spec before defaults are applied and before it is merged with the stored spec. */
  normalize?(spec: JsonObject): JsonObject;
  /**
   * Decides about an existing row with the name; undefined leaves the conflict to the unique index. `lost`: the row was
   * inserted concurrently.
   */
  onNameTaken?(context: RuleContext, name: string, when: 'before' | 'lost'): Promise<NameConflict | undefined>;
  beforeCreate?(context: RuleContext, draft: Draft): Promise<void>;
  /**
   * Runs after the insert, for rows that refer to the new row; returns its updated version. The draft's events are
   * written afterwards.
   */
  afterCreate?(context: RuleContext, row: ResourceRow, draft: Draft): Promise<ResourceRow>;
  beforeReplace?(context: RuleContext, draft: Draft, previous: ResourceRow): Promise<void>;
  /** Runs after the update, for rows that depend on the change; returns the updated row. */
  afterReplace?(context: RuleContext, row: ResourceRow): Promise<ResourceRow>;
  /** Throws to refuse. */
  beforeDelete?(context: RuleContext, row: ResourceRow): Promise<void>;
  /** For kinds whose rows stay for a while after their end, instead of being deleted. */
  readonly end?: EndRules;
  readonly render?: RenderRules;
}

interface EndRules {
  /** Ends the resource and its children. */
  terminate(context: RuleContext, row: ResourceRow, reason: EndReason): Promise<ResourceRow>;
  /** Finds a terminated row that is still shown. */
  find(call: ReadCall, name: string): Promise<ResourceRow | undefined>;
}

/** How responses of the kind differ from the stored row. */
interface RenderRules {
  /** Adjusts every response, from the row alone. */
  readonly one?: RenderOne;
  /** Adds data of other tables to every response, with one query for all rows. */
  related?(
    database: Database,
    items: readonly Rendered[],
    rows: readonly ResourceRow[],
    view: View,
  ): Promise<Rendered[]>;
  /** Adjusts the items of a listing, with one query for a whole page. */
  page?(call: ReadCall, items: readonly Rendered[], rows: readonly ResourceRow[]): Promise<unknown[]>;
  /** Adds fields that only the response to this write shows; `spec` is the written spec before it was sealed. */
  onWrite?(rendered: Rendered, spec: JsonObject): Rendered;
}
