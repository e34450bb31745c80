// Configuration of a runner. It holds no database credentials, so a stolen machine exposes none.
import { IsolationClass, WarmPoolSpec } from '@berth/contract/node';
import { z } from 'zod';

const Registry = z.object({
  host: z.string().min(1).describe('Host as image references name it, with its port.'),
  username: z.string().describe('Whom the registry knows.'),
  password: z.string().describe('A password or token that may pull.'),
  repositories: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'What every workspace may pull with the password: repositories of this registry, or folders with a slash at their end; / alone is all of it. Images of the deployment, and those in the folder of the workspace that names them, need no entry.',
    ),
});

const Gateway = z.object({
  address: z.ipv4().describe('Of the gateway.'),
  port: z.int().min(1).max(65_535).describe('Where it listens.'),
});

const Ingress = z.object({
  // Loopback by default: other machines reach the ingress only if the operator configures it.
  host: z.string().default('127.0.0.1').describe('Address on which gateways of other machines are heard.'),
  port: z.int().min(0).max(65_535).default(8082).describe('Its port; 0 takes a free one.'),
  processes: z
    .int()
    .min(1)
    .max(64)
    .default(1)
    .describe('Processes that share the port. One carries some thousands of connections and the load of one core.'),
  advertisedAddress: z
    .string()
    .max(300)
    .regex(/^.+:\d{1,5}$/)
    .optional()
    .describe('What gateways are told, host:port, when they reach the machine by another address than it listens on.'),
});

const Outgoing = z.object({
  connections: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(4_096)
    .describe(
      'Connections of one instance that the kernel tracks at a time; more are dropped. All instances share net.netfilter.nf_conntrack_max: keep this at a thirty-second of it or less.',
    ),
  newPerSecond: z
    .int()
    .min(1)
    .max(100_000)
    .default(200)
    .describe(
      'New connections of one instance in a second, twice as many at once; more are dropped, so that scans and floods do not leave at the speed of the machine. Packets of UDP that nobody answers count as new.',
    ),
  dnsPerSecond: z
    .int()
    .min(1)
    .max(100_000)
    .default(100)
    .describe(
      'Questions of one instance to the resolvers in a second, by UDP, twice as many at once; all instances share the resolvers.',
    ),
  closedPorts: z
    .array(z.int().min(1).max(65_535))
    .max(1_000)
    .default([25])
    .describe(
      'TCP ports that no instance reaches outside. 25, because mail that a tenant sends comes from the address of the operator; [] closes none.',
    ),
  mbPerSecond: z
    .int()
    .min(1)
    .max(4_000)
    .optional()
    .describe('Megabytes that one instance may send to other machines in a second; as much as there is when absent.'),
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
    .describe('One-time token with which the machine joins. Needed for the first start alone.'),
  stateFolder: z
    .string()
    .default('/var/lib/berth-runner')
    .describe('Where the runner keeps its key, its certificate and what output it has still to send.'),
  name: z
    .string()
    .regex(/^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/)
    .optional()
    .describe('What operators call the machine; its host name when absent.'),
  dockerUrl: z
    .string()
    .default('unix:///var/run/docker.sock')
    .describe('Where the Docker Engine of this machine listens.'),
  memoryMb: z
    .int()
    .positive()
    .optional()
    .describe('Memory that instances may be promised together; nine tenths of the machine when absent.'),
  bridge: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,14}$/)
    .default('berth0')
    .describe('Network bridge that instances are wired to; the runner makes it.'),
  subnet: z.string().default('100.96.0.0/16').describe('Addresses that instances get; nothing else may use them here.'),
  logBytesPerSecond: z
    .int()
    .min(1_024)
    .default(1_048_576)
    .describe(
      'Output that one instance may write for long, ten times as much at once; what is beyond is dropped, and a line says how much.',
    ),
  resolvers: z
    .array(z.string())
    .default([])
    .describe('DNS servers that instances may ask; those of the machine when empty.'),
  gateways: z
    .array(Gateway)
    .default([])
    .describe('Where instances reach the gateways, although those stand in a private network.'),
  deniedRanges: z
    .array(z.cidrv4())
    .max(1_000)
    .default([])
    .describe(
      'Ranges that instances do not reach beside private ones, such as 198.51.100.0/24: public addresses of your own services, whose firewalls trust your machines. The address of runner.apiUrl is always among them; runner.gateways and runner.resolvers stay open.',
    ),
  outgoing: Outgoing.prefault({}),
  slots: z.int().nonnegative().default(4).describe('Network namespaces kept ready, so that an instance starts sooner.'),
  registries: z.array(Registry).default([]).describe('Registries that ask for a password.'),
  sharedImages: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Images whose copy on this machine every workspace may use without their registry being asked, such as those put here by hand; one that ends with * stands for all full names that begin so (docker.io/library/*). Those of runner.warm need no entry.',
    ),
  imageMaxAgeDays: z.number().positive().default(14).describe('An image that nothing used for so long is removed.'),
  imageDiskPercent: z
    .number()
    .min(1)
    .max(100)
    .default(80)
    .describe('Images are removed, the longest unused first, while the disk is fuller than this.'),
  imageMaxMb: z
    .int()
    .positive()
    .default(20_480)
    .describe(
      'What the registry may send for one image, compressed. A larger image is not pulled; without a limit one image could fill the disk of everybody.',
    ),
  imageMaxUnpackedMb: z
    .int()
    .positive()
    .default(61_440)
    .describe(
      'What one image may take of the disk while it is pulled and unpacked: a small download may unpack to a thousand times its size.',
    ),
  diskMb: z
    .int()
    .positive()
    .default(10_240)
    .describe('What one instance may write to the disk of the machine; one that writes more is ended, its files go.'),
  diskFiles: z.int().positive().default(1_000_000).describe('The same for the number of files.'),
  diskMbPerSecond: z
    .int()
    .positive()
    .optional()
    .describe(
      'What one instance on runc may read, and what it may write, per second on the disk that the engine keeps its data on; as much as there is when absent. Needs cgroup v2 to hold for everything that is written. Under gVisor nothing is limited.',
    ),
  diskReservePercent: z
    .number()
    .min(0)
    .max(50)
    .default(5)
    .describe(
      'When less than this is left of the disk that the engine keeps its data on, image pulls are aborted; then instances are ended, of a workspace that wrote most of what was lost. From half as much again on, nothing is placed here that can go elsewhere.',
    ),
  concurrency: z
    .int()
    .positive()
    .default(4)
    .describe(
      'Containers that are made and started at a time; more would only slow each other down. One workspace gets one less at most, and those that wait take turns.',
    ),
  guestFolder: z
    .string()
    .min(1)
    .optional()
    .describe('Where the guest’s runtime lies, which every sandbox runs; without it this machine offers no sandboxes.'),
  warmConcurrency: z
    .int()
    .positive()
    .default(1)
    .describe(
      'Sandboxes that nobody waits for yet and that are brought up at a time; what somebody waits for goes first.',
    ),
  warm: z
    .array(WarmPoolSpec)
    .max(100)
    .default([])
    .describe('Images of which sandboxes are kept ready here, and how many of each.'),
  warmLately: z
    .int()
    .min(0)
    .max(1_000)
    .default(0)
    .describe('Of other images that sandboxes used lately, so many are kept ready.'),
  wakeReserveMb: z
    .int()
    .nonnegative()
    .default(512)
    .describe(
      'Memory that has to be free when a sandbox wakes; with less, idle ones go to sleep first, or it has to wait.',
    ),
  isolation: z
    .array(IsolationClass)
    .min(1)
    .optional()
    .describe('Offers only these of the isolation classes that the engine has.'),
  ingress: Ingress.prefault({}),
  drainSeconds: z
    .number()
    .nonnegative()
    .default(30)
    .describe(
      'An instance of a workload that was deleted or switched off waits so long until its connections have ended.',
    ),
  leaveSeconds: z
    .number()
    .nonnegative()
    .default(900)
    .describe('The same for one that is not needed any more: an older revision, or more than are asked for.'),
});
export type RunnerConfig = z.infer<typeof RunnerConfig>;
