// The declarations of the published contract.
import { operations, scopes, specifiedScopes } from '@berth/contract';
import { expect, test } from 'vitest';
import { fieldOf, fieldsOf } from './support/published-contract.ts';

const served = operations.map(({ method, path }) => `${method} ${path}`);

test('contract.kinds: the contract offers operations for every kind of workload, storage, network, integration and tenancy resource that the service manages', () => {
  const writable = ['agents', 'models', 'functions', 'jobs', 'sandboxes', 'volumes', 'drives', 'volume_templates'];
  const fixed = ['vpcs', 'vpcs/{}/egressgateways', 'vpcs/{}/egressgateways/{}/ips'];
  const further = ['policies', 'customdomains', 'integrations/connections', 'workspaces'];
  const wanted = [
    ...[...writable, ...fixed, ...further].flatMap((kind) => [
      `GET /${kind}`,
      `POST /${kind}`,
      `GET /${kind}/{}`,
      `DELETE /${kind}/{}`,
    ]),
    ...[...writable, ...further].map((kind) => `PUT /${kind}/{}`),
    ...['accounts', 'templates'].flatMap((kind) => [`GET /${kind}`, `GET /${kind}/{}`]),
  ];
  const offered = served.map((address) => address.replace(/\{\w+\}/g, '{}'));
  expect(wanted.filter((address) => !offered.includes(address))).toEqual([]);
});

test('contract.read-only-fields: every field that the specification calls read-only is marked so in the contract', () => {
  const stamps = ['createdAt', 'updatedAt', 'createdBy', 'updatedBy'];
  const inMetadata = [...stamps, 'workspace'].map((field) => `metadata.${field}`);
  const readOnly: Readonly<Record<string, readonly string[]>> = {
    EgressIP: ['events', 'status', 'metadata.gatewayName', 'metadata.vpcName', ...inMetadata, 'spec.publicIp'],
    Drive: ['events', 'state', 'status', ...inMetadata, 'metadata.plan', 'metadata.url'],
    Volume: ['events', 'state', 'status', 'terminatedAt', ...inMetadata, 'metadata.plan', 'metadata.url'],
    Job: ['events', 'status', ...inMetadata, 'metadata.plan', 'metadata.url'],
    Workspace: ['id', 'resourceCounts', 'status', 'statusReason', ...stamps],
  };
  for (const [component, paths] of Object.entries(readOnly)) {
    for (const path of paths)
      expect(fieldOf(component, path), `${component} ${path}`).toMatchObject({ readOnly: true });
    const sent = paths.filter((path) => fieldOf(`${component}Input`, path) !== undefined);
    expect(sent, `${component} is not asked for what it sets itself`).toEqual([]);
  }
  for (const [component, field] of [
    ['Drive', 'spec.size'],
    ['EgressIP', 'metadata.displayName'],
    ['Workspace', 'displayName'],
  ] as const)
    expect(fieldOf(component, field), `${component} ${field} can be sent`).not.toHaveProperty('readOnly');
});

test('contract.deployment-status: the contract lists exactly the ten deployment statuses and marks the field read-only', () => {
  const statuses = [
    'DELETING',
    'TERMINATED',
    'FAILED',
    'DEACTIVATED',
    'DEACTIVATING',
    'UPLOADING',
    'BUILDING',
    'DEPLOYING',
    'DEPLOYED',
    'BUILT',
  ];
  for (const component of ['EgressIP', 'Job', 'Agent', 'Function', 'Model', 'Sandbox']) {
    const status = fieldOf(component, 'status');
    expect(status, component).toMatchObject({ type: 'string', readOnly: true });
    expect([status?.enum].flat().sort(), component).toEqual([...statuses].sort());
  }
});

test('contract.workspace-status: the contract lists exactly the six workspace statuses and marks the field read-only', () => {
  expect(fieldOf('Workspace', 'status')).toEqual({
    type: 'string',
    readOnly: true,
    enum: ['created', 'account_binded', 'account_configured', 'workspace_configured', 'ready', 'error'],
  });
});

test('contract.execution-status: the contract lists exactly the eight job execution statuses', () => {
  expect(fieldOf('JobExecution', 'status')).toEqual({
    type: 'string',
    enum: ['queued', 'pending', 'running', 'cancelling', 'cancelled', 'failed', 'succeeded', 'timeout'],
  });
});

test('contract.execution-types: the contract declares every field of an execution and of its tasks with the type that the specification gives', () => {
  const task = {
    'metadata.name createdAt scheduledAt startedAt completedAt updatedAt': 'string',
    'spec.maxRetries': 'integer',
    'spec.timeout': 'string',
    conditions: 'array',
    'conditions[].type state reason executionReason message severity': 'string',
  };
  const execution = {
    'metadata.cluster completedAt createdAt deletedAt expiredAt id job startedAt updatedAt workspace': 'string',
    'spec.envOverride': 'string',
    'spec.memoryOverride parallelism timeout': 'integer',
    'spec.tasks': 'array',
    'stats.cancelled failure retried running success total': 'integer',
    status: 'string',
    tasks: 'array',
    ...Object.fromEntries(
      ['spec.tasks[]', 'tasks[]'].flatMap((place) =>
        Object.entries(task).map(([fields, type]) => [`${place}.${fields}`, type]),
      ),
    ),
  };
  for (const [fields, type] of Object.entries(execution)) {
    const at = fields.lastIndexOf('.') + 1;
    for (const name of fields.slice(at).split(' '))
      expect(fieldOf('JobExecution', fields.slice(0, at) + name), fields.slice(0, at) + name).toMatchObject({ type });
  }
  expect(fieldsOf('JobExecution').sort()).toEqual(['metadata', 'spec', 'stats', 'status', 'tasks']);
});

test('contract.scopes: the contract knows every scope of the specification, spelled resource:action, and the plain scope admin', () => {
  const five = 'create delete get list update';
  const specified = {
    agents: five,
    apiKey: 'list write',
    configurations: 'list',
    customdomains: five,
    functions: five,
    integrations: 'create list',
    invitations: 'list',
    jobs: five,
    locations: 'list',
    mcphub: 'list',
    models: five,
    policies: five,
    sandboxes: `control ${five}`,
    sandboxhub: 'list',
    templates: 'get list',
    volumeTemplates: 'create delete get list upsert',
    volumes: 'create delete get list',
    workspaces: 'accept create decline delete get invite leave list remove update',
  };
  const wanted = Object.entries(specified).flatMap(([resource, actions]) =>
    actions.split(' ').map((action) => `${resource}:${action}`),
  );
  expect(['admin', ...wanted].filter((scope) => !scopes.includes(scope))).toEqual([]);
  // The scope tests iterate over this table, so it must equal the specification's exactly.
  const declared = Object.entries(specifiedScopes).map(([resource, actions]) => [
    resource,
    actions.toSorted().join(' '),
  ]);
  expect(Object.fromEntries(declared)).toEqual(specified);
  expect(scopes.filter((scope) => scope !== 'admin' && !/^[a-zA-Z]+:[a-z]+$/.test(scope))).toEqual([]);
});
