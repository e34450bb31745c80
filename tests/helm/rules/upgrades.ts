// An upgrade migrates first and replaces pods without refusing a request.
import { isDeepStrictEqual } from 'node:util';
import { type KubernetesObject, ofKind } from '../objects.ts';
import { at, deploymentsOf, first, type Rule, roleOf, settingsOf } from './rule.ts';

const roles = ['api', 'gateway', 'orchestrator'];

export const upgradeRules: readonly Rule[] = [
  {
    name: 'the three roles and the migration are there',
    faults: (objects) => {
      const found = [
        ...deploymentsOf(objects).map(roleOf).toSorted(),
        ...ofKind(objects, 'Job').map(() => 'migration'),
      ];
      return isDeepStrictEqual(found, [...roles, 'migration']) ? [] : found;
    },
    plants: {
      'another role': (objects) => {
        first(deploymentsOf(objects)).metadata.labels['app.kubernetes.io/component'] = 'runner';
      },
    },
  },
  {
    name: 'a pod has time to leave its Service and to stop before it is killed',
    faults: (objects) =>
      settingsOf(objects).flatMap((settings) =>
        deploymentsOf(objects).flatMap(({ metadata, spec }) => {
          const pod = spec.template.spec;
          const preStopSeconds = first(pod.containers).lifecycle?.preStop.sleep.seconds ?? 0;
          const neededSeconds = preStopSeconds + Number(at(settings, 'shutdown.deadlineSeconds'));
          return preStopSeconds > 0 && pod.terminationGracePeriodSeconds > neededSeconds ? [] : [metadata.name];
        }),
      ),
    plants: {
      'a grace period without the wait before the stop': (objects) => {
        first(deploymentsOf(objects)).spec.template.spec.terminationGracePeriodSeconds = 30;
      },
      'no wait before the stop': (objects) => {
        delete first(first(deploymentsOf(objects)).spec.template.spec.containers).lifecycle;
      },
    },
  },
  {
    name: 'a pod is replaced only after the new one is ready, and a drained node takes one at a time',
    faults: (objects) => {
      const budgets = ofKind(objects, 'PodDisruptionBudget').map(({ spec }) => spec);
      return deploymentsOf(objects).flatMap(({ metadata, spec }) => {
        const own = budgets.filter(({ selector }) => isDeepStrictEqual(selector, spec.selector));
        const isRight =
          own.length === 1 && own[0]?.maxUnavailable === 1 && spec.strategy.rollingUpdate.maxUnavailable === 0;
        return isRight ? [] : [metadata.name];
      });
    },
    plants: {
      'a budget of other pods': (objects) => {
        first(ofKind(objects, 'PodDisruptionBudget')).spec.selector.matchLabels['app.kubernetes.io/component'] =
          'other';
      },
      'a pod that ends before the new one is ready': (objects) => {
        first(deploymentsOf(objects)).spec.strategy.rollingUpdate.maxUnavailable = 1;
      },
    },
  },
  {
    name: 'the migration runs before everything else, and needs nothing that comes later',
    faults: (objects) => {
      const weightOf = (object: KubernetesObject): number => {
        const { 'helm.sh/hook': hook, 'helm.sh/hook-weight': weight } = object.metadata.annotations;
        return hook === 'pre-install,pre-upgrade' ? Number(weight) : Number.POSITIVE_INFINITY;
      };
      return ofKind(objects, 'Job').flatMap((job) => {
        const needed = job.spec.template.spec.volumes.flatMap(({ configMap }) => configMap?.name ?? []);
        const maps = ofKind(objects, 'ConfigMap').filter(({ metadata }) => needed.includes(metadata.name));
        const isRight =
          Number.isFinite(weightOf(job)) && maps.length === 1 && maps.every((map) => weightOf(map) < weightOf(job));
        return isRight ? [] : [job.metadata.name];
      });
    },
    plants: {
      'a ConfigMap that comes later': (objects) => {
        for (const { configMap } of first(ofKind(objects, 'Job')).spec.template.spec.volumes)
          if (configMap !== undefined) configMap.name = 'berth';
      },
      'a Job that is no hook': (objects) => {
        delete first(ofKind(objects, 'Job')).metadata.annotations['helm.sh/hook'];
      },
    },
  },
];
