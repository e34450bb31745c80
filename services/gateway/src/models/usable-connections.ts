// Which connections of a model can be used, and why others cannot. Pure.
import {
  callAddress,
  findProvider,
  type Provider,
  type ProviderSettings,
  providerKey,
  takesKeysOf,
} from '@berth/contract';
import type { ModelConnection, ModelFault, ProviderBase } from './model.ts';

/** Connection of the workspace, with its secrets opened. */
export interface OpenConnection {
  readonly name: string;
  readonly integration: string;
  readonly config: Readonly<Record<string, string>>;
  /** Undefined when a secret could not be opened. */
  readonly secret: Readonly<Record<string, string>> | undefined;
  /** Holds credentials for tests. */
  readonly sandbox: boolean;
}

export interface ModelSettings {
  /** `spec.runtime.type` */
  readonly type: string | undefined;
  /** Uses credentials for tests, and no others. */
  readonly sandbox: boolean;
  readonly addresses: ProviderSettings['addresses'];
}

interface Judged {
  readonly connection?: ModelConnection;
  readonly fault?: ModelFault;
}

/** `fault` is that of the first connection, where none can be used. */
export function usableConnections(
  model: ModelSettings,
  connections: readonly OpenConnection[],
): { readonly connections: readonly ModelConnection[]; readonly fault: ModelFault | undefined } {
  const provider = model.type === undefined ? undefined : findProvider(model.type);
  if (model.type !== undefined && provider === undefined)
    return { connections: [], fault: unserved(`Models of the type ${model.type} cannot be called.`) };
  const judged = connections.map((connection) => judge(model, provider, connection));
  const usable = judged.flatMap(({ connection }) => connection ?? []);
  const [fault = withoutConnection] = judged.flatMap((each) => each.fault ?? []);
  return { connections: usable, fault: usable.length === 0 ? fault : undefined };
}

function judge(model: ModelSettings, ofModel: Provider | undefined, connection: OpenConnection): Judged {
  const { name, integration, config, secret, sandbox } = connection;
  const own = findProvider(integration);
  if (own === undefined)
    return faulty(`The connection ${name} is for ${integration || 'nothing'}, which is no provider of models.`, {
      action: 'Let an admin name a connection for a provider of models in spec.integrationConnections.',
    });
  const provider = ofModel ?? own;
  if (!takesKeysOf(provider, own))
    return faulty(`The connection ${name} is for ${own.displayName}, and the model for ${provider.displayName}.`, {
      action: 'Let an admin name a connection for the provider of the model in spec.integrationConnections.',
    });
  if (provider.unserved !== undefined) return { fault: unserved(provider.unserved) };
  if (sandbox !== model.sandbox)
    return faulty(
      sandbox
        ? `The connection ${name} holds credentials for tests, and the model does not use those.`
        : `The model uses credentials for tests, and the connection ${name} holds others.`,
      { action: 'Let an admin set spec.sandbox of both to the same value.' },
    );
  if (secret === undefined)
    return faulty(`The key of the connection ${name} cannot be opened by this gateway.`, {
      action: 'Ask the operator to give gateways the same master keys as the api.',
    });
  const key = providerKey(provider, secret);
  if (key === undefined)
    return faulty(`The connection ${name} has no usable key.`, {
      action: 'Let an admin set spec.secret.API_KEY of it.',
    });
  const address = callAddress(provider, config, model.addresses);
  if (address === undefined)
    return faulty(`The connection ${name} has no usable address.`, {
      action: 'Let an admin set spec.config.BASE_URL of it to an address that begins with https://.',
    });
  const missing = Object.entries(provider.config ?? {}).find(
    ([field, { fallback }]) => config[field] === undefined && fallback === undefined,
  );
  if (missing !== undefined)
    return faulty(`The connection ${name} lacks ${missing[0]}.`, {
      action: `Let an admin set spec.config.${missing[0]} of it: ${missing[1].about}`,
    });
  const fallbacks = Object.entries(provider.config ?? {}).flatMap(([field, { fallback }]) =>
    fallback === undefined ? [] : [[field, fallback] as const],
  );
  return {
    connection: { name, provider, base: baseOf(address), key, config: { ...Object.fromEntries(fallbacks), ...config } },
  };
}

function baseOf(address: string): ProviderBase {
  const { origin, hostname, pathname } = new URL(address);
  return { origin, host: hostname.replace(/^\[(.*)\]$/, '$1'), path: pathname === '/' ? '' : pathname };
}

const faulty = (message: string, { action }: Pick<ModelFault, 'action'>): Judged => ({ fault: { message, action } });

const unserved = (message: string): ModelFault => ({
  message,
  action: 'Use a model of another provider.',
  isUnserved: true,
});

const withoutConnection: ModelFault = {
  message: 'The model names no connection that exists.',
  action: 'Let an admin create an integration connection with the key, and name it in spec.integrationConnections.',
};
