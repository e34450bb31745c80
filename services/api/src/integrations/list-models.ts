// Models that the provider of a connection offers. The key is opened in the read, and the provider is called after it.
import {
  findProvider,
  integrationConnection,
  keyHeaderValue,
  type Provider,
  providerKey,
  requestErrors,
} from '@berth/contract';
import { type GotAnswer, OutwardError } from '@berth/outward';
import { z } from 'zod';
import type { ReadCall } from '../http/call.ts';
import { findLive } from '../resources/record.ts';
import { revealSecrets } from '../resources/secrets.ts';
import { providerErrors } from './errors.ts';
import { type ProviderModel, readModels } from './read-models.ts';

const texts = z.record(z.string(), z.string()).default({});
const ConnectionSpec = z.object({ integration: z.string().default(''), config: texts, secret: texts });

export interface OpenConnection {
  readonly name: string;
  /** Undefined for a connection to a tool. */
  readonly provider: Provider | undefined;
  readonly config: Readonly<Record<string, string>>;
  readonly secret: Readonly<Record<string, string>>;
}

export async function openConnection(
  { database, workspace, dependencies }: Pick<ReadCall, 'database' | 'workspace' | 'dependencies'>,
  name: string,
): Promise<OpenConnection> {
  const { kind } = integrationConnection;
  const row = await findLive(database, { workspaceId: workspace.id, kind }, name);
  if (row === undefined) throw requestErrors.not_found();
  const key = await dependencies.keyring.workspaceKey(database, workspace.id);
  const spec = ConnectionSpec.parse(revealSecrets(integrationConnection, row.spec, key, row.uid));
  return { ...spec, name: row.name, provider: findProvider(spec.integration) };
}

/** A tool offers none. */
export async function listModels(
  { accountId, dependencies }: Pick<ReadCall, 'accountId' | 'dependencies'>,
  { name, provider, config, secret }: OpenConnection,
): Promise<ProviderModel[]> {
  if (provider === undefined) return [];
  const told = { connection: name, provider: provider.displayName };
  const { listing, keyHeader, headers } = provider;
  if (listing === undefined) throw providerErrors.no_model_list(told);
  const address = dependencies.providers.addressOf(provider, config);
  if (address === undefined)
    throw providerErrors.provider_address({ ...told, reason: 'BASE_URL is missing or wrong.' });
  const key = providerKey(provider, secret);
  if (key === undefined) throw providerErrors.provider_key_missing(told);
  const { status, body } = await dependencies.providers
    .get(accountId, address + listing.path, { ...headers, [keyHeader]: keyHeaderValue(keyHeader, key) })
    .catch((error: unknown): GotAnswer => {
      if (!(error instanceof OutwardError)) throw error;
      const { reason, message } = error;
      const kind = reason === 'address' ? 'provider_address' : 'provider_not_reached';
      throw providerErrors[kind]({ ...told, reason: message }, error);
    });
  if (status === 401 || status === 403) throw providerErrors.provider_key_refused({ ...told, status });
  const models = status === 200 ? readModels(listing, body, key) : undefined;
  if (models === undefined) throw providerErrors.provider_answer({ ...told, status });
  return models;
}
