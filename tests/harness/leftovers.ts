// Lists what deployments have left on machines and in the database; empty once nothing is deployed.
import { callDocker } from '../../engines/docker-api.ts';
import type { Fleet } from '../../engines/fleet/fleet.ts';
import type { Machine } from '../../engines/fleet/machine.ts';
import { admittedElements } from '../../services/runner/test/admitted-elements.ts';

interface Listed {
  readonly Id: string;
  readonly Names: readonly string[];
  readonly Labels: Readonly<Record<string, string>>;
  readonly HostConfig: { readonly NetworkMode: string };
}

export async function leftovers(fleet: Fleet): Promise<string[]> {
  const machines = await Promise.all(fleet.machines.map(onMachine));
  const live = await fleet.database
    .selectFrom('instances')
    .select(['id', 'state'])
    .where('ended_at', 'is', null)
    .execute();
  const runners = await fleet.database.selectFrom('runners').select(['name', 'reserved_mb']).execute();
  const resources = await fleet.database
    .selectFrom('resources')
    .select(['name', 'status'])
    .where('kind', 'in', ['agent', 'function'])
    .execute();
  const counted = await fleet.database
    .selectFrom('resource_counts')
    .select(['kind', 'live'])
    .where('kind', 'in', ['agent', 'function'])
    .where('live', '>', 0)
    .execute();
  const used = await fleet.database
    .selectFrom('quota_usage')
    .select(['resource_type', 'used'])
    .where('resource_type', 'in', ['agents', 'functions'])
    .where('used', '>', 0)
    .execute();
  return [
    ...machines.flat(),
    ...live.map(({ id, state }) => `instance ${id} is ${state}`),
    ...runners.filter(({ reserved_mb }) => reserved_mb !== 0).map(({ name }) => `${name} still reserves memory`),
    ...resources.map(({ name, status }) => `${name} is ${status}`),
    ...counted.map(({ kind, live: count }) => `${count} ${kind} counted`),
    ...used.map(({ resource_type, used: count }) => `${count} ${resource_type} held of the limit`),
  ];
}

async function onMachine(machine: Machine): Promise<string[]> {
  const listed: Listed[] = JSON.parse(
    (await callDocker(machine.dockerUrl, 'GET /containers/json?all=1')).body.toString(),
  );
  const instances = listed.filter(({ Labels }) => Labels['berth.instance'] !== undefined);
  const networks: { Name: string; Driver: string }[] = JSON.parse(
    (await callDocker(machine.dockerUrl, 'GET /networks')).body.toString(),
  );
  const bridges = networks.filter(({ Driver }) => Driver === 'bridge');
  return [
    ...instances.map(({ Names }) => `container ${Names.join()} on ${machine.name}`),
    ...(bridges.length > 1 ? [`${bridges.length} networks on ${machine.name}`] : []),
    ...admittedElements(machine).map((element) => `${JSON.stringify(element)} is still admitted on ${machine.name}`),
  ];
}
