// Builds the spec of an attempt of a task that the runner receives, from the job's configuration as the execution copied
// it. Control-plane sheet 4.7.
import { brandedVariable } from '@berth/contract';
import type { IsolationClass } from '@berth/contract/node';
import type { SealedEnv } from '@berth/identity';
import type { PlacementSettings } from '../config.ts';
import type { ChosenImage } from '../images/choose-image.ts';
import { environmentOf, lastOfEachName, listenVariables } from './environment-variables.ts';
import { cpusOf, newestGeneration } from './instance-defaults.ts';
import type { JobSpec } from './job-spec.ts';
import { taskVolumes } from './task-volumes.ts';
import type { InstanceOwner, StoredInstanceSpec } from './workload-instance.ts';

type StoredTaskSpec = Extract<StoredInstanceSpec, { mode: 'task' }>;

interface TaskExecution {
  readonly id: string;
  /** The id that clients see. */
  readonly externalId: string;
  /** Memory of each task. */
  readonly memoryMb: number;
  readonly timeoutSeconds: number;
  /** Variables of this execution alone; they override those of the job. */
  readonly env: Readonly<Record<string, { readonly $sealed: string }>>;
}

export interface TaskSource {
  readonly job: Omit<InstanceOwner, 'kind'>;
  readonly spec: JobSpec;
  readonly execution: TaskExecution;
  readonly image: ChosenImage;
  /** Address at which a task reads its arguments. */
  readonly dataUrlOf: (taskIndex: number) => string;
}

export interface TaskPlace {
  readonly region: string;
  readonly isolation: IsolationClass;
}

/** Time that a task has between SIGTERM and SIGKILL. */
const graceSeconds = 10;
/** Names of the variables with the task's index and the execution's id. Two further variables contain these names. */
const indexName = 'TASK_INDEX';
const executionIdName = 'EXECUTION_ID';
const dataUrlName = 'EXECUTION_DATA_URL';

/** Memory that a task reserves on a runner. */
export const taskReservedMb = (memoryMb: number, { placement }: Pick<PlacementSettings, 'placement'>): number =>
  Math.ceil(memoryMb / placement.overcommit);

/** Disk space of a task as a share of its memory; undefined where the job leaves it to the operator of the runner. */
function taskDiskMb({ runtime: { diskPercent } }: JobSpec, memoryMb: number): number | undefined {
  return diskPercent === undefined ? undefined : Math.max(1, Math.floor((memoryMb * diskPercent) / 100));
}

/** Returns a function, so that what all tasks of a region share is built once and not for each of them. */
export function taskInstanceSpecs(
  source: TaskSource,
  settings: PlacementSettings,
): (place: TaskPlace, taskIndex: number) => StoredTaskSpec {
  const { job, spec, execution, image, dataUrlOf } = source;
  const volumes = taskVolumes(spec);
  const diskMb = taskDiskMb(spec, execution.memoryMb);
  const resource = { uid: job.uid, kind: 'job', name: job.name };
  const environments = new Map<string, SealedEnv>();
  const environmentIn = (region: string): SealedEnv => {
    const env = environments.get(region) ?? sharedEnvironment(source, region, settings);
    environments.set(region, env);
    return env;
  };
  return ({ region, isolation }, taskIndex) => ({
    mode: 'task',
    resource,
    image: image.image,
    imageSource: image.source,
    isolation,
    memoryMb: execution.memoryMb,
    cpus: cpusOf(execution.memoryMb),
    timeoutSeconds: execution.timeoutSeconds,
    graceSeconds,
    ...(volumes.length === 0 ? {} : { volumes }),
    ...(diskMb === undefined ? {} : { diskMb }),
    env: lastOfEachName([
      ...environmentIn(region),
      { name: indexName, value: String(taskIndex) },
      { name: brandedVariable(settings.brand.short, dataUrlName), value: dataUrlOf(taskIndex) },
    ]),
  });
}

/**
 * The variables of the job, then those of the execution, then those that tell a task what it is. The first declared port
 * wins over variables, as for agents.
 */
function sharedEnvironment(
  { job, spec, execution }: TaskSource,
  region: string,
  settings: PlacementSettings,
): SealedEnv {
  const brand = settings.brand.short;
  const branded = (name: string): string => brandedVariable(brand, name);
  const ofJob = environmentOf({
    brand,
    workspace: job.workspace,
    resource: { uid: job.uid, kind: 'job', name: job.name },
    region,
    generation: spec.runtime.generation ?? newestGeneration,
    connections: [],
    envs: spec.runtime.envs ?? [],
    port: undefined,
  });
  const ofExecution = Object.entries(execution.env).map(([name, { $sealed }]) => ({
    name,
    sealed: $sealed,
    context: `execution ${execution.id}`,
  }));
  const [port] = spec.runtime.ports ?? [];
  return lastOfEachName([
    ...ofJob,
    ...ofExecution,
    ...(port === undefined ? [] : listenVariables(port.target)),
    { name: branded('TASK_KEY'), value: indexName },
    { name: branded('EXECUTION_KEY'), value: branded(executionIdName) },
    { name: branded(executionIdName), value: execution.externalId },
  ]);
}
