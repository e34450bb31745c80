// Reads a model with its connections, token policies and budgets, in one round trip.
import { type ProviderSettings, ResourceName } from '@berth/contract';
import { type Database, liveResource } from '@berth/database';
import { type Keyring, SealError, secretContext, unseal } from '@berth/identity';
import type { Logger } from '@berth/telemetry';
import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import type { NameForm } from '../routing/lookup-cache.ts';
import { type Name, queryNames } from '../routing/name-query.ts';
import type { ModelRoute } from '../routing/route.ts';
import { isWorkspace, isWorkspaceKey } from '../routing/workspace-key.ts';
import type { FoundModel } from './model.ts';
import { type OpenConnection, usableConnections } from './usable-connections.ts';

export interface ModelSecrets {
  readonly database: Database;
  /** Undefined in a gateway without master keys. */
  readonly keyring: Keyring | undefined;
  readonly addresses: ProviderSettings['addresses'];
  readonly logger: Logger;
}

const Text = z.string().optional().catch(undefined);
const Limit = z.int().optional().catch(undefined);
const Sealed = z.union([z.string(), z.object({ $sealed: z.string() })]);

const Connection = z.object({
  uid: z.string(),
  name: z.string(),
  integration: z.string(),
  config: z.record(z.string(), z.string()),
  secret: z.record(z.string(), Sealed),
  sandbox: z.boolean(),
});

const Row = z.object({
  uid: z.string(),
  name: z.string(),
  workspaceId: z.string(),
  workspace: z.string(),
  isEnabled: z.boolean(),
  sandbox: z.boolean(),
  runtime: z.object({ type: Text, model: Text, organization: Text }),
  connections: z.array(Connection),
  policies: z.array(
    z.object({
      uid: z.string(),
      name: z.string(),
      step: z.int(),
      granularity: z.enum(['minute', 'hour', 'day', 'month']),
      input: Limit,
      output: Limit,
      total: Limit,
    }),
  ),
  budgets: z.array(z.object({ id: z.string(), name: z.string(), nanoUsd: z.string().transform(BigInt) })),
});

export const modelNames = (secrets: ModelSecrets): NameForm<ModelRoute, FoundModel> => ({
  keyOf: ({ address }) =>
    'name' in address ? `${address.workspace}/${address.name}` : `${address.region}.${address.label}`,
  isPossible: ({ address }) =>
    !('name' in address) || (ResourceName.safeParse(address.name).success && isWorkspaceKey(address.workspace)),
  query: (database, route) => queryModel(database, route, secrets),
  queryNames: (database, routes) => queryNames(database, routes.map(nameOf)),
});

const nameOf = ({ address }: ModelRoute): Name =>
  'name' in address ? { by: 'path', kind: 'model', ...address } : { by: 'host', ...address };

const conditionFor = ({ address }: ModelRoute): RawBuilder<boolean> =>
  'name' in address
    ? sql`model.name = ${address.name} and ${isWorkspace(address.workspace)}`
    : sql`model.uid = (select resource_uid from host_labels
        where region = ${address.region} and label = ${address.label})`;

async function queryModel(
  database: Database,
  route: ModelRoute,
  secrets: ModelSecrets,
): Promise<FoundModel | undefined> {
  const { rows } = await sql`
    select model.uid, model.name, workspaces.id as "workspaceId", workspaces.name as workspace,
      coalesce((model.spec ->> 'enabled')::boolean, true) as "isEnabled",
      coalesce((model.spec ->> 'sandbox')::boolean, false) as sandbox, coalesce(model.spec -> 'runtime', '{}') as runtime,
      (select coalesce(jsonb_agg(jsonb_build_object('uid', connection.uid, 'name', connection.name,
          'integration', coalesce(connection.spec ->> 'integration', ''),
          'config', coalesce(connection.spec -> 'config', '{}'), 'secret', coalesce(connection.spec -> 'secret', '{}'),
          'sandbox', coalesce((connection.spec ->> 'sandbox')::boolean, false)) order by place), '[]')
        from jsonb_array_elements_text(model.spec -> 'integrationConnections') with ordinality as named(name, place)
        join resources connection on connection.workspace_id = model.workspace_id
          and connection.kind = 'integrationconnection' and connection.name = named.name
          and ${liveResource('connection')}) as connections,
      (select coalesce(jsonb_agg(policy.spec -> 'maxTokens' || jsonb_build_object('uid', policy.uid, 'name', policy.name,
          'step', coalesce(policy.spec #> '{maxTokens,step}', '1')) order by policy.name), '[]')
        from resources policy where policy.workspace_id = model.workspace_id and policy.kind = 'policy'
          and model.spec -> 'policies' ? policy.name and policy.spec ->> 'type' = 'maxToken'
          and policy.spec #>> '{maxTokens,granularity}' is not null and ${liveResource('policy')}) as policies,
      (select coalesce(jsonb_agg(jsonb_build_object('id', budgets.id, 'name', budgets.name,
          'nanoUsd', (amount_usd * 1000000000)::numeric(38, 0)::text) order by budgets.name), '[]')
        from budgets where budgets.account_id = workspaces.account_id and budgets.of = 'models'
          and (budgets.workspace is null or budgets.workspace = workspaces.name)) as budgets
    from resources model join workspaces on workspaces.id = model.workspace_id
    where ${conditionFor(route)} and model.kind = 'model' and ${liveResource('model')}`.execute(database);
  if (rows.length === 0) return undefined;
  const { runtime, sandbox, connections, ...row } = Row.parse(rows[0]);
  const open = await openConnections(row.workspaceId, connections, secrets);
  return {
    ...row,
    ...usableConnections({ type: runtime.type, sandbox, addresses: secrets.addresses }, open),
    kind: 'model',
    isPublic: false,
    model: runtime.model || undefined,
    organization: runtime.organization || undefined,
  };
}

/** A secret that does not open is left out, and the model says so to its callers. */
async function openConnections(
  workspaceId: string,
  connections: readonly z.output<typeof Connection>[],
  { database, keyring, logger }: ModelSecrets,
): Promise<OpenConnection[]> {
  const opened: OpenConnection[] = [];
  for (const { uid, secret, ...connection } of connections) {
    try {
      const key = await keyring?.workspaceKey(database, workspaceId);
      if (key === undefined) throw new SealError('This gateway has no master keys.');
      const open = Object.entries(secret).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : unseal(key, value.$sealed, secretContext(uid)),
      ]);
      opened.push({ ...connection, secret: Object.fromEntries(open) });
    } catch (err) {
      if (!(err instanceof SealError)) throw err;
      const event = 'gateway.connection_sealed';
      logger.error({ err, event, connection: uid }, 'secret of a connection does not open; its models answer an error');
      opened.push({ ...connection, secret: undefined });
    }
  }
  return opened;
}
