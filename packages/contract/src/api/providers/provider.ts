// What Berth has to know about a provider of models. A new provider is one more file with this shape, listed in registry.ts.

/** Header that carries the provider's key. */
export type KeyHeader = 'authorization' | 'x-api-key' | 'x-goog-api-key' | 'api-key';

/** Names of fields, outermost first, joined by dots. */
type FieldPath = string;

/** Where a JSON answer, or an event of a stream, counts tokens. Of several paths the numbers that are found are added. */
export interface TokenPaths {
  /** All tokens of the request, cached ones included. */
  readonly sent: readonly FieldPath[];
  /** Those of them that the provider had cached. */
  readonly cached?: readonly FieldPath[];
  /** Absent for an endpoint whose answer has no tokens, such as embeddings. */
  readonly received?: readonly FieldPath[];
}

export interface ProviderEndpoint {
  readonly method: 'POST';
  /** `body`: in the field `model`. `path`: at `{model}`. `none`: the address decides. */
  readonly model: 'body' | 'path' | 'none';
  /**
   * When the answer is a stream: `key` is the field of the body that asks for one; `path` says that this endpoint always
   * streams. Absent for an endpoint that never streams.
   */
  readonly streams?: { readonly key: string } | 'path';
  /** Absent for an endpoint that costs nothing. An answer that tells no numbers is estimated. */
  readonly tokens?: TokenPaths;
  /** In a stream, each number is the last one told. */
  readonly streamTokens?: TokenPaths;
  /** A stream tells its usage only if `stream_options.include_usage` is set. It then comes in one event without choices. */
  readonly asksForUsage?: true;
  /** In place of the provider's. */
  readonly keyHeader?: KeyHeader;
}

/** Where a provider lists its models, and where the answer has them. */
export interface ModelListing {
  /** With a query where the provider would show only a page. */
  readonly path: string;
  readonly items: FieldPath;
  readonly id: FieldPath;
  /** Beginning of each id that requests leave out. */
  readonly idPrefix?: string;
  readonly name?: FieldPath;
  readonly author?: FieldPath;
  /** Seconds since 1970, or text. */
  readonly createdAt?: FieldPath;
}

export interface Provider {
  readonly name: string;
  readonly displayName: string;
  /** Providers of one vendor take each other's keys. By default the provider is a vendor of its own. */
  readonly vendor?: string;
  /** Absent where every customer has a different address: it is `BASE_URL` of the connection's `config`. */
  readonly baseUrl?: string;
  readonly keyHeader: KeyHeader;
  /** Request headers, in lower case, that go to the provider beside those that every provider gets. */
  readonly passes?: readonly string[];
  /** Header that names the organization, `spec.runtime.organization` of the model. */
  readonly organizationHeader?: string;
  /** Sent with each request, unless the client sends its own. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Values of the connection's `config` that the provider needs; one without a fallback is required. `{NAME}` stands for
   * one in a path, a header or a parameter.
   */
  readonly config?: Readonly<Record<string, { readonly about: string; readonly fallback?: string }>>;
  /** Added to the query, unless the client sends its own. */
  readonly query?: Readonly<Record<string, string>>;
  /** The first is the one of a request to the model's own address. Keys are paths; `{model}` is the name of the model. */
  readonly endpoints: Readonly<Record<string, ProviderEndpoint>>;
  /** Absent where there is no list of what a model may name. */
  readonly listing?: ModelListing;
  /** Why requests are refused although the provider is known. */
  readonly unserved?: string;
}
