import { enforced, type FieldEffect } from './effect.ts';

const expiry = 'services/api/test/sandbox-expiry.test.ts';
const changes = 'services/api/test/sandbox-changes.test.ts';
const placement = 'packages/instances/src/spec/sandbox-instance.test.ts';

export const sandboxEffects: readonly FieldEffect[] = [
  enforced(`${changes}: false deactivates: the instance stays and refuses callers`, 'enabled'),
  enforced(`${changes}: ttl-idle is told to the runner, which alone knows`, 'lifecycle.expirationPolicies'),
  enforced(
    'services/api/test/sandboxes.test.ts: the retention is the caller’s when it says one',
    'lifecycle.terminatedRetention',
  ),
  enforced(
    'services/api/test/regions-and-addresses.test.ts: %s refuses a region that is not the operator’s, naming the field',
    'region',
  ),
  enforced(
    'packages/instances/src/spec/sandbox-instance.test.ts: a sandbox has peers only in a VPC that it names, on declared ports, and never on the guest’s',
    'vpc',
  ),
  enforced(
    `${changes}: U-21: changed envs go to the same instance under a higher generation, without an event`,
    'runtime.envs[].name',
    'runtime.envs[].value',
  ),
  enforced(`${changes}: a secret that comes back masked is no change`, 'runtime.envs[].secret'),
  enforced(
    `${expiry}: expires and date are kept as they are said, and a rule beyond every calendar as none`,
    'runtime.expires',
  ),
  enforced(
    `${expiry}: wire check 14: after its ttl it is TERMINATED on read, and a create of the same name succeeds with a fresh one`,
    'runtime.ttl',
  ),
  enforced(
    `${placement}: a sandbox without image or memory gets the operator’s defaults`,
    'runtime.image',
    'runtime.memory',
  ),
  enforced(
    `${placement}: a claimed sandbox keeps the image, isolation and port that it was started with`,
    'runtime.generation',
  ),
  enforced(
    'services/gateway/src/routing/target.test.ts: no port is reached that is neither declared nor allowed, and a reserved one never',
    'runtime.ports[].target',
  ),
  enforced(
    'services/api/test/field-effects.test.ts: notes are kept as they came and promise nothing else',
    'runtime.ports[].name',
  ),
  {
    effect: 'refused',
    paths: [
      'network.allowedDomains',
      'network.forbiddenDomains',
      'network.proxy.allowedDomains',
      'network.proxy.forbiddenDomains',
      'network.proxy.bypass',
      'network.proxy.routing',
    ],
    reason:
      'this deployment has no egress proxy, so traffic would not be filtered and nothing would be added to it. Leave it out, and limit the network outside of the sandbox.',
  },
  {
    effect: 'refused',
    paths: ['network.firewall.rulesets'],
    // The ruleset `default` restricts nothing.
    harmless: ['default'],
    reason:
      'this deployment has no egress firewall, so traffic would stay open. Leave it out or send ["default"], and limit the network outside of the sandbox.',
  },
  {
    effect: 'refused',
    paths: ['network.egress.gateway', 'network.egress.mode', 'network.egress.policies'],
    reason:
      'no traffic leaves through an egress gateway yet, so it would leave from the shared address of the machine. Leave it out.',
  },
  {
    effect: 'refused',
    paths: ['network.subnet'],
    harmless: ['default'],
    reason:
      'a VPC is not divided into subnets here, so nothing would be kept apart. Leave it out, or use a VPC of its own.',
  },
  {
    effect: 'warned',
    paths: ['volumes'],
    reason:
      'this deployment has no storage for volumes, so nothing is mounted and what is written there is lost with the sandbox.',
  },
  {
    effect: 'warned',
    paths: ['runtime.dockerConfig'],
    reason:
      'images are pulled with the registry credentials of the operator. Ask the operator to add yours to runner.registries.',
  },
  {
    effect: 'warned',
    paths: ['runtime.storageMb'],
    reason: 'every sandbox of a machine has the same root disk, set by the operator as runner.diskMb.',
  },
  {
    effect: 'warned',
    paths: ['runtime.extraArgs'],
    harmless: ['disabled'],
    reason: 'the capabilities of a sandbox are fixed, so iptables, NFS and TUN devices are not there.',
  },
  {
    effect: 'warned',
    paths: ['runtime.terminationGracePeriodSeconds'],
    harmless: [0],
    reason: 'a sandbox that is deleted is stopped at once.',
  },
  {
    effect: 'warned',
    paths: ['runtime.snapshotEnabled'],
    // No snapshot is kept, which is what `false` asks for.
    harmless: [false],
    reason: 'snapshots do not exist yet. A sandbox that sleeps keeps its memory and its files on its machine.',
  },
  {
    effect: 'warned',
    paths: ['runtime.skipBuild'],
    harmless: ['false'],
    reason: 'nothing is built here: every image is used as it is.',
  },
  {
    effect: 'warned',
    paths: ['runtime.ports[].protocol'],
    harmless: ['HTTP'],
    reason: 'ports are reached over HTTP and WebSocket only.',
  },
];
