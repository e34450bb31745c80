// Scopes listed by the specification (Authentication), then further scopes that operations need.

type ScopeTable = Readonly<Record<string, readonly string[]>>;

const crud = ['create', 'delete', 'get', 'list', 'update'] as const;

export const specifiedScopes = {
  agents: crud,
  apiKey: ['list', 'write'],
  configurations: ['list'],
  customdomains: crud,
  functions: crud,
  integrations: ['create', 'list'],
  invitations: ['list'],
  jobs: crud,
  locations: ['list'],
  mcphub: ['list'],
  models: crud,
  policies: crud,
  sandboxes: ['control', ...crud],
  sandboxhub: ['list'],
  templates: ['get', 'list'],
  volumeTemplates: ['create', 'delete', 'get', 'list', 'upsert'],
  volumes: ['create', 'delete', 'get', 'list'],
  workspaces: ['accept', 'create', 'decline', 'delete', 'get', 'invite', 'leave', 'list', 'remove', 'update'],
} as const satisfies ScopeTable;

/**
 * `call` gives access to the workloads themselves, at the gateway. The actions of the specification concern their
 * records.
 */
export const furtherScopes = {
  agents: ['call'],
  applications: crud,
  audit: ['list'],
  billing: ['get', 'update'],
  drives: ['create', 'delete', 'get', 'list'],
  egressgateways: ['list'],
  egressips: ['list'],
  featureFlags: ['get', 'list'],
  functions: ['call'],
  images: ['create', 'delete', 'get', 'list', 'share'],
  integrations: ['delete', 'get', 'update'],
  models: ['call'],
  sandboxes: ['call'],
  volumes: ['update'],
} as const satisfies ScopeTable;

type ScopeOf<T extends ScopeTable> = { [R in keyof T & string]: `${R}:${T[R][number]}` }[keyof T & string];
export type Scope = 'admin' | ScopeOf<typeof specifiedScopes> | ScopeOf<typeof furtherScopes>;

const listed = (table: ScopeTable): string[] =>
  Object.entries(table).flatMap(([resource, actions]) => actions.map((action) => `${resource}:${action}`));

export const scopes: readonly string[] = [
  ...new Set(['admin', ...listed(specifiedScopes), ...listed(furtherScopes)]),
].sort();

/** `admin` passes every check; a credential without a list is not limited by scopes. */
export function lacksScope(held: readonly string[] | undefined, needed: readonly Scope[]): Scope | undefined {
  if (held === undefined || held.includes('admin')) return undefined;
  return needed.find((scope) => !held.includes(scope));
}
