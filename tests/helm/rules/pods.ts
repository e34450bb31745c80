// Pods have no rights on their nodes that they do not need.
import { containersOf, first, podsOf, type Rule, unless } from './rule.ts';

const imageUser = 65_532;

export const podRules: readonly Rule[] = [
  {
    name: 'no container has rights beyond those of its user',
    faults: (objects) =>
      unless(containersOf(objects), ({ container: { securityContext } }) => {
        const { privileged, allowPrivilegeEscalation, capabilities } = securityContext;
        const { add = [], drop = [] } = capabilities;
        return !privileged && allowPrivilegeEscalation === false && add.length === 0 && drop.includes('ALL');
      }),
    plant: (objects) => {
      first(containersOf(objects)).container.securityContext.privileged = true;
    },
  },
  {
    name: 'no pod shares namespaces, folders or ports of its node',
    faults: (objects) =>
      unless(
        podsOf(objects),
        ({ spec }) =>
          !spec.hostNetwork &&
          !spec.hostPID &&
          !spec.hostIPC &&
          spec.volumes.every((volume) => volume.hostPath === undefined) &&
          !JSON.stringify(spec.containers).includes('hostPort'),
      ),
    plant: (objects) => {
      first(podsOf(objects)).spec.hostNetwork = true;
    },
  },
  {
    name: 'every pod runs as the user of the image, with the default seccomp profile',
    faults: (objects) =>
      unless(podsOf(objects), ({ spec: { securityContext } }) => {
        const { runAsNonRoot, runAsUser, seccompProfile } = securityContext;
        return runAsNonRoot === true && runAsUser === imageUser && seccompProfile?.type === 'RuntimeDefault';
      }),
    plant: (objects) => {
      first(podsOf(objects)).spec.securityContext.runAsUser = 0;
    },
  },
  {
    name: 'every root file system is read-only',
    faults: (objects) =>
      unless(containersOf(objects), ({ container }) => container.securityContext.readOnlyRootFilesystem === true),
    plant: (objects) => {
      first(containersOf(objects)).container.securityContext.readOnlyRootFilesystem = false;
    },
  },
  {
    name: 'every container has requests and limits for CPU and memory',
    faults: (objects) =>
      unless(containersOf(objects), ({ container: { resources } }) =>
        [resources.requests, resources.limits].every((of) => of?.cpu !== undefined && of.memory !== undefined),
      ),
    plant: (objects) => {
      first(containersOf(objects)).container.resources.limits = { cpu: '1' };
    },
  },
  {
    name: 'no pod has a token of a service account',
    faults: (objects) => unless(podsOf(objects), ({ spec }) => spec.automountServiceAccountToken === false),
    plant: (objects) => {
      delete first(podsOf(objects)).spec.automountServiceAccountToken;
    },
  },
  {
    name: 'no pod gets the variables of Services, such as BERTH_API_PORT, which the server takes for settings',
    faults: (objects) => unless(podsOf(objects), ({ spec }) => spec.enableServiceLinks === false),
    plant: (objects) => {
      delete first(podsOf(objects)).spec.enableServiceLinks;
    },
  },
];
