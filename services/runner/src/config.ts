// Configuration of a runner. It holds no database credentials, so a stolen machine exposes none.
import { bytesPerMb, IsolationClass, WarmPoolSpec } from '@berth/contract/node';
import { z } from 'zod';

const Registry = z.object({
  host: z.string().min(1).describe('Host as image references name it, with its port.'),
  username: z.string().describe('User name at the registry.'),
  password: z.string().describe('Password or token with the right to pull.'),
  repositories: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Repositories of this registry that every workspace may pull with the password. A name with a slash at its end is a folder; / alone is the whole registry. Images of the deployment, and images in the folder of the workspace that names them, need no entry.',
    ),
});

const Gateway = z.object({
  address: z.ipv4().describe('Address of the gateway.'),
  port: z.int().min(1).max(65_535).describe('Port of the gateway.'),
});

const Ingress = z.object({
  // Loopback by default: other machines reach the ingress only if the operator configures it.
  host: z.string().default('127.0.0.1').describe('Address on which the runner listens for gateways of other machines.'),
  port: z.int().min(0).max(65_535).default(8082).describe('Port of the ingress; 0 takes a free one.'),
  processes: z
    .int()
    .min(1)
    .max(64)
    .default(1)
    .describe(
      'Processes that share the port. One process carries some thousands of connections and uses up to one core.',
    ),
  advertisedAddress: z
    .string()
    .max(300)
    .regex(/^.+:\d{1,5}$/)
    .optional()
    .describe(
      'Address that gateways connect to, host:port, if it differs from the address that the runner listens on.',
    ),
});

const Outgoing = z.object({
  connections: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(4_096)
    .describe(
      'Maximum connections of one instance that the kernel tracks at a time; more are dropped. All instances share net.netfilter.nf_conntrack_max: keep this at a thirty-second of it or less.',
    ),
  newPerSecond: z
    .int()
    .min(1)
    .max(100_000)
    .default(200)
    .describe(
      'Maximum new connections of one instance per second, with a burst of twice as many; more are dropped, so that scans and floods do not leave at the speed of the machine. Unanswered UDP packets count as new connections.',
    ),
  dnsPerSecond: z
    .int()
    .min(1)
    .max(100_000)
    .default(100)
    .describe(
      'Maximum DNS queries of one instance per second by UDP, with a burst of twice as many; all instances share the resolvers.',
    ),
  closedPorts: z
    .array(z.int().min(1).max(65_535))
    .max(1_000)
    .default([25])
    .describe(
      'TCP ports that no instance reaches outside. The default is 25, because mail of a tenant would come from the address of the operator; [] closes none.',
    ),
  mbPerSecond: z
    .int()
    .min(1)
    .max(4_000)
    .optional()
    .describe('Maximum megabytes per second that one instance sends to other machines; unlimited when absent.'),
});

export const RunnerConfig = z.object({
  apiUrl: z
    .url({ protocol: /^https$/ })
    .describe(
      'Address of the node listener of the api, https://host:port. Its certificate is checked by name, not by host.',
    ),
  joinToken: z
    .string()
    .max(256)
    .optional()
    .describe('One-time token with which the machine joins. Needed only for the first start.'),
  stateFolder: z
    .string()
    .default('/var/lib/berth-runner')
    .describe('Folder for the key and the certificate of the runner, and for output that is not sent yet.'),
  name: z
    .string()
    .regex(/^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/)
    .optional()
    .describe('Name of the machine for operators; its host name when absent.'),
  dockerUrl: z.string().default('unix:///var/run/docker.sock').describe('Socket of the Docker Engine of this machine.'),
  memoryMb: z
    .int()
    .positive()
    .optional()
    .describe(
      'Memory that all instances together may be promised; nine tenths of the memory of the machine when absent.',
    ),
  bridge: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,14}$/)
    .default('berth0')
    .describe('Network bridge of the instances; the runner creates it.'),
  subnet: z
    .string()
    .default('100.96.0.0/16')
    .describe('Addresses of the instances; nothing else on this machine may use them.'),
  logBytesPerSecond: z
    .int()
    .min(1_024)
    .default(bytesPerMb)
    .describe(
      'Maximum output of one instance per second, with a burst of ten times as much; more is dropped, and a line says how much.',
    ),
  resolvers: z
    .array(z.string())
    .default([])
    .describe('DNS servers that instances may use; those of the machine when empty.'),
  gateways: z
    .array(Gateway)
    .default([])
    .describe('Addresses at which instances reach the gateways, even in a private network.'),
  deniedRanges: z
    .array(z.cidrv4())
    .max(1_000)
    .default([])
    .describe(
      'Ranges that instances do not reach in addition to private ones, such as 198.51.100.0/24: public addresses of your own services whose firewalls trust your machines. The address of runner.apiUrl is always closed; runner.gateways and runner.resolvers stay open.',
    ),
  outgoing: Outgoing.prefault({}),
  slots: z
    .int()
    .nonnegative()
    .default(4)
    .describe('Number of network namespaces kept ready, so that an instance starts sooner.'),
  registries: z.array(Registry).default([]).describe('Registries that require a password.'),
  sharedImages: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Images whose local copy every workspace may use without a request to their registry, such as images that an operator loaded by hand. A name that ends with * matches all full names with that prefix (docker.io/library/*). Images of runner.warm need no entry.',
    ),
  imageMaxAgeDays: z
    .number()
    .positive()
    .default(14)
    .describe('An image that was unused for this many days is removed.'),
  imageDiskPercent: z
    .number()
    .min(1)
    .max(100)
    .default(80)
    .describe('While more of the disk is used than this, images are removed, longest unused first.'),
  imageMaxMb: z
    .int()
    .positive()
    .default(20_480)
    .describe(
      'Maximum compressed size of one image, as its registry sends it. A larger image is not pulled; without a limit one image could fill the disk for all instances.',
    ),
  imageMaxUnpackedMb: z
    .int()
    .positive()
    .default(61_440)
    .describe(
      'Maximum disk space of one image while it is pulled and unpacked: a small download may unpack to a thousand times its size.',
    ),
  diskMb: z
    .int()
    .positive()
    .default(10_240)
    .describe(
      'Maximum disk space of the files of one instance. An instance that writes more is ended, and its files are removed.',
    ),
  diskFiles: z
    .int()
    .positive()
    .default(1_000_000)
    .describe('Maximum number of files of one instance. An instance with more is ended, and its files are removed.'),
  diskMbPerSecond: z
    .int()
    .positive()
    .optional()
    .describe(
      'Maximum disk reads and maximum disk writes per second of one instance on runc, on the disk with the data of the engine; unlimited when absent. Needs cgroup v2 to hold for all writes. Does not apply to gVisor.',
    ),
  diskReservePercent: z
    .number()
    .min(0)
    .max(50)
    .default(5)
    .describe(
      'When less than this is free of the disk with the data of the engine, image pulls are aborted; then instances are ended, of the workspace that wrote most of the lost space. Below one and a half times this value, new instances are placed elsewhere where possible.',
    ),
  concurrency: z
    .int()
    .positive()
    .default(4)
    .describe(
      'Maximum containers that are created and started at a time; more would only slow each other down. One workspace gets at most one less, and waiting workspaces take turns.',
    ),
  maxTasks: z
    .int()
    .nonnegative()
    .optional()
    .describe(
      'Maximum tasks of jobs that run at a time on this machine; 0 takes none. When absent, 6 per core where gVisor is offered, else 16 per core.',
    ),
  guestFolder: z
    .string()
    .min(1)
    .optional()
    .describe('Runtime folder of the guest, which every sandbox runs; without it this machine offers no sandboxes.'),
  warmConcurrency: z
    .int()
    .positive()
    .default(1)
    .describe('Maximum warm sandboxes that are brought up at a time; instances that a caller waits for go first.'),
  warm: z
    .array(WarmPoolSpec)
    .max(100)
    .default([])
    .describe('Images of which warm sandboxes are kept on this machine, and how many of each.'),
  warmLately: z
    .int()
    .min(0)
    .max(1_000)
    .default(0)
    .describe('Number of warm sandboxes that are kept of other images that sandboxes used recently.'),
  wakeReserveMb: z
    .int()
    .nonnegative()
    .default(512)
    .describe(
      'Memory that has to be free when a sandbox wakes; with less, idle sandboxes are put to sleep first, or the wake has to wait.',
    ),
  isolation: z
    .array(IsolationClass)
    .min(1)
    .optional()
    .describe('Isolation classes to offer, of those that the engine has; all of them when absent.'),
  ingress: Ingress.prefault({}),
  drainSeconds: z
    .number()
    .nonnegative()
    .default(30)
    .describe('Maximum time that an instance of a deleted or disabled workload waits for its connections to end.'),
  leaveSeconds: z
    .number()
    .nonnegative()
    .default(900)
    .describe(
      'Maximum time that a superfluous instance (an older revision, or a scale-down) waits for its connections to end.',
    ),
});
export type RunnerConfig = z.infer<typeof RunnerConfig>;
