// The tries for one request: each usable connection whose provider has the endpoint, with the request as it goes there. Pure.
import type { ProviderEndpoint } from '@berth/contract';
import type { PricedModel } from '../limits/model-limits.ts';
import { type MatchedEndpoint, matchEndpoint } from './match-endpoint.ts';
import type { FoundModel, ModelConnection } from './model.ts';
import { noEndpoint } from './model-errors.ts';
import { type PreparedBody, prepareBody } from './prepare-body.ts';

export interface Attempt {
  readonly connection: ModelConnection;
  readonly endpoint: ProviderEndpoint;
  /** Path at the provider, with its query. */
  readonly path: string;
  readonly prepared: PreparedBody;
  readonly priced: PricedModel;
}

/** In the order in which they are made. */
export type Attempts = readonly [Attempt, ...Attempt[]];

const maxAttempts = 3;

/** Throws a GatewayError when no provider has the endpoint, or when the body is not for it. */
export function planAttempts(
  { connections, model }: Pick<FoundModel, 'connections' | 'model'>,
  path: string,
  body: Buffer,
): Attempts {
  const matching = matchesOf(connections, path);
  const preparedFor = new Map<ProviderEndpoint, PreparedBody>();
  const planned = matching.slice(0, maxAttempts).map(({ connection, matched }): Attempt => {
    const { endpoint, model: pathModel } = matched;
    const prepared = preparedFor.get(endpoint) ?? prepareBody({ endpoint, model, pathModel, body });
    preparedFor.set(endpoint, prepared);
    const providerModel = prepared.model ?? '';
    return {
      connection,
      endpoint,
      // A name that the client wrote stands there already, and its query may hold anything.
      path: pathModel === undefined ? withModel(matched.path, providerModel) : matched.path,
      prepared,
      priced: { provider: connection.provider.name, model: providerModel },
    };
  });
  const [first, ...others] = planned;
  if (first === undefined) throw noEndpoint(connections.map(({ provider }) => provider));
  return [first, ...others];
}

interface Match {
  readonly connection: ModelConnection;
  readonly matched: MatchedEndpoint;
}

/** Most clients call one path again and again. The cache ends with what was read of the model. */
const known = new WeakMap<readonly ModelConnection[], { readonly path: string; readonly matches: readonly Match[] }>();

function matchesOf(connections: readonly ModelConnection[], path: string): readonly Match[] {
  const last = known.get(connections);
  if (last?.path === path) return last.matches;
  const matches = connections.flatMap((connection) => {
    const matched = matchEndpoint(connection.provider, path);
    return matched === undefined ? [] : [{ connection, matched }];
  });
  known.set(connections, { path, matches });
  return matches;
}

const withModel = (path: string, model: string): string =>
  path.replace(/^([^?]*)\{model\}/, (_, before: string) => before + encodeURIComponent(model));
