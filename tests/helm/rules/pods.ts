// Pods have no rights on their nodes that they do not need.
import { isDeepStrictEqual } from 'node:util';
import { containersOf, first, type Objects, podsOf, type Rule, unless } from './rule.ts';

const imageUser = 65_532;
const runtimeDefault = { type: 'RuntimeDefault' };

const securityOf = (objects: Objects) => first(containersOf(objects)).container.securityContext;

export const podRules: readonly Rule[] = [
  {
    name: 'no container has rights beyond those of its user',
    faults: (objects) =>
      unless(containersOf(objects), ({ container: { securityContext } }) => {
        const { privileged, allowPrivilegeEscalation, capabilities } = securityContext;
        const { add = [], drop = [] } = capabilities;
        return !privileged && allowPrivilegeEscalation === false && add.length === 0 && drop.includes('ALL');
      }),
    plants: {
      'a privileged container': (objects) => {
        securityOf(objects).privileged = true;
      },
      'a container that may gain rights': (objects) => {
        delete securityOf(objects).allowPrivilegeEscalation;
      },
      'a container with a capability': (objects) => {
        securityOf(objects).capabilities.add = ['NET_ADMIN'];
      },
      'a container with the usual capabilities': (objects) => {
        securityOf(objects).capabilities.drop = [];
      },
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
          spec.containers.every(({ ports }) => ports.every((port) => port.hostPort === undefined)),
      ),
    plants: {
      ...Object.fromEntries(
        ['hostNetwork', 'hostPID', 'hostIPC'].map((name) => [
          name,
          (objects: Objects) => {
            first(podsOf(objects)).spec[name] = true;
          },
        ]),
      ),
      'a folder of the node': (objects) => {
        first(podsOf(objects)).spec.volumes.push({ name: 'node', hostPath: { path: '/' } });
      },
      'a port of the node': (objects) => {
        first(podsOf(objects)).spec.containers[0]?.ports.push({ name: 'own', containerPort: 80, hostPort: 80 });
      },
    },
  },
  {
    name: 'every pod runs as the user of the image, with the default seccomp profile',
    faults: (objects) =>
      unless(containersOf(objects), ({ pod, container }) => {
        // Those of a container win over those of its pod.
        const { runAsNonRoot, runAsUser, seccompProfile } = { ...pod.securityContext, ...container.securityContext };
        return runAsNonRoot === true && runAsUser === imageUser && isDeepStrictEqual(seccompProfile, runtimeDefault);
      }),
    plants: {
      'a pod of root': (objects) => {
        first(podsOf(objects)).spec.securityContext.runAsUser = 0;
      },
      'a container of root': (objects) => {
        securityOf(objects).runAsUser = 0;
      },
      'a container that may run as root': (objects) => {
        securityOf(objects).runAsNonRoot = false;
      },
      'a container without a seccomp profile': (objects) => {
        securityOf(objects).seccompProfile = { type: 'Unconfined' };
      },
    },
  },
  {
    name: 'every root file system is read-only',
    faults: (objects) =>
      unless(containersOf(objects), ({ container }) => container.securityContext.readOnlyRootFilesystem === true),
    plants: {
      'a writable root': (objects) => {
        securityOf(objects).readOnlyRootFilesystem = false;
      },
    },
  },
  {
    name: 'every container has requests and limits for CPU and memory',
    faults: (objects) =>
      unless(containersOf(objects), ({ container: { resources } }) =>
        [resources.requests, resources.limits].every((of) => of?.cpu !== undefined && of.memory !== undefined),
      ),
    plants: {
      'no limit of memory': (objects) => {
        first(containersOf(objects)).container.resources.limits = { cpu: '1' };
      },
      'no requests': (objects) => {
        delete first(containersOf(objects)).container.resources.requests;
      },
    },
  },
  {
    name: 'no pod has a token of a service account',
    faults: (objects) => unless(podsOf(objects), ({ spec }) => spec.automountServiceAccountToken === false),
    plants: {
      'a pod with a token': (objects) => {
        delete first(podsOf(objects)).spec.automountServiceAccountToken;
      },
    },
  },
  {
    name: 'no pod gets the variables of Services, such as BERTH_API_PORT, which the server takes for settings',
    faults: (objects) => unless(podsOf(objects), ({ spec }) => spec.enableServiceLinks === false),
    plants: {
      'a pod with the variables': (objects) => {
        delete first(podsOf(objects)).spec.enableServiceLinks;
      },
    },
  },
];
