// Types of a model as the gateway caches it.
import type { Provider } from '@berth/contract';
import type { LimitedModel } from '../limits/model-limits.ts';

/** A connection that can be used: it has a key and an address. */
export interface ModelConnection {
  readonly name: string;
  readonly provider: Provider;
  readonly base: ProviderBase;
  readonly key: string;
  readonly config: Readonly<Record<string, string>>;
}

/** Address before the provider's own paths, read once: it is needed with every request. */
export interface ProviderBase {
  readonly origin: string;
  /** Without brackets. */
  readonly host: string;
  /** Without a trailing slash. */
  readonly path: string;
}

export interface FoundModel extends LimitedModel {
  readonly kind: 'model';
  readonly workspace: string;
  /** A model spends the money of its owner. */
  readonly isPublic: false;
  readonly isEnabled: boolean;
  /** The provider's name of the model; undefined when callers choose. */
  readonly model: string | undefined;
  /** Organization at the provider. */
  readonly organization: string | undefined;
  /** In the order in which they are tried. */
  readonly connections: readonly ModelConnection[];
  /** Why no connection can be used; for the person who called the model. */
  readonly fault: ModelFault | undefined;
}

export interface ModelFault {
  readonly message: string;
  readonly action: string;
  /** Berth does not serve this provider at all. */
  readonly isUnserved?: boolean;
}
