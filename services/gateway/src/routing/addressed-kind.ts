import { type ServedKind, servedKinds } from '../workloads/workload.ts';
import { workloadKinds } from '../workloads/workload-kinds.ts';
import type { Route } from './route.ts';

const kindsByPrefix = new Map<string, ServedKind>(servedKinds.map((kind) => [workloadKinds[kind].labelPrefix, kind]));

/** Kind of a workload, judged by its address alone: the workload has not been looked up yet. */
export const addressedKind = (route: Route): ServedKind | undefined =>
  route.by === 'path' ? route.kind : kindsByPrefix.get(route.label.slice(0, route.label.indexOf('-') + 1));
