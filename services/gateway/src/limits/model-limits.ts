// Limits of models: windows of tokens by policy, and budgets of money.
import type { Tokens } from './tokens.ts';

/** Policy of type `maxToken`, as a model names it. */
export interface TokenPolicy {
  readonly uid: string;
  readonly name: string;
  readonly step: number;
  readonly granularity: 'minute' | 'hour' | 'day' | 'month';
  readonly input?: number | undefined;
  readonly output?: number | undefined;
  readonly total?: number | undefined;
}

/** Budget of the account that counts what models cost. */
export interface ModelBudget {
  readonly id: string;
  readonly name: string;
  /** For a calendar month in UTC. */
  readonly nanoUsd: bigint;
}

export interface LimitedModel {
  readonly uid: string;
  readonly name: string;
  readonly workspaceId: string;
  readonly policies: readonly TokenPolicy[];
  /** Those that apply to the workspace of the model. */
  readonly budgets: readonly ModelBudget[];
}

/** What a request is priced by: the provider, and its own name of the model. */
export interface PricedModel {
  readonly provider: string;
  readonly model: string;
}

export interface ModelLimits {
  /**
   * Throws a GatewayError when a limit is used up, or when a budget applies and the model has no price. Returns synchronously
   * while the totals are known.
   */
  check(model: LimitedModel, priced: PricedModel): void | Promise<void>;
  /** Counts a request that has ended. Synchronous; the totals are written in the background. */
  count(model: LimitedModel, priced: PricedModel, tokens: Tokens): void;
  /** Writes the totals that are not written yet. */
  close(): Promise<void>;
}
