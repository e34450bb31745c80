// What an installation can leave on a machine, as lists that compare.
import type { Box } from '../../../engines/box/box.ts';

/** Files that change by themselves. */
const left = [
  '/var/log',
  '/var/cache',
  '/var/tmp',
  '/root',
  '/var/lib/systemd',
  '/var/lib/private',
  '/var/lib/docker',
  '/var/lib/containerd',
  '/media',
];
const find = `find / -xdev \\( ${left.map((path) => `-path ${path}`).join(' -o ')} \\) -prune -o`;
const services = 'docker ps --quiet --filter label=berth.service';

/** Each prints a line for each thing. */
const commands = {
  files: `${find} ! -type d -printf '%p %m %u %g %s %T@\\n'`,
  folders: `${find} -type d -printf '%p %m %u %g\\n'`,
  unitFiles: "systemctl list-unit-files --no-legend --no-pager | grep -v '^command-'",
  units:
    "systemctl list-units --type=service --state=active --no-legend --no-pager --plain | cut -d ' ' -f 1 | grep -v '^command-'",
  starts: `${services} | xargs --no-run-if-empty docker inspect --format '{{.Name}} {{.State.StartedAt}}'; systemctl show berth-runner --property ExecMainStartTimestampMonotonic`,
  tables: 'nft list tables',
  links: "ip -brief link | cut -d ' ' -f 1",
  namespaces: 'ip netns list',
  networks: "docker network ls --format '{{.Name}}'",
  containers: "docker ps --all --no-trunc --format '{{.Names}} {{.ID}}'",
  volumes: "docker volume ls --format '{{.Name}}'",
  images: "docker images --no-trunc --format '{{.Repository}}:{{.Tag}} {{.ID}}'",
  cgroups: "find /sys/fs/cgroup -mindepth 1 -maxdepth 3 -type d | grep -v '/command-\\|/docker/\\|/init.scope'",
  accounts: 'cut -d : -f 1 /etc/passwd',
  firewall: 'iptables-save | grep -v "^#\\|^:"',
} as const;

type Listed = keyof typeof commands;
export type MachineListing = Readonly<Record<Listed, readonly string[]>>;
const names = Object.keys(commands) as Listed[];

export async function listMachine(box: Box): Promise<MachineListing> {
  const script = Object.entries(commands).map(([name, command]) => `echo '== ${name}'; ${command}`);
  const found = {} as Record<Listed, readonly string[]>;
  for (const name of names) found[name] = [];
  for (const part of (await box.run(`{ ${script.join('; ')}; } || true`)).split(/^== /m).slice(1)) {
    const [name, ...lines] = part.trimEnd().split('\n');
    found[name as Listed] = lines.toSorted();
  }
  return found;
}

/** Lines that only one of two listings has, without those that match `ignored`; empty when both are equal. */
export const changes = (before: MachineListing, after: MachineListing, ignored: RegExp) =>
  Object.fromEntries(
    names
      .map((name) => {
        const only = (one: MachineListing, other: MachineListing) =>
          one[name].filter((line) => !ignored.test(line) && !other[name].includes(line));
        return [
          name,
          [...only(after, before).map((line) => `+ ${line}`), ...only(before, after).map((line) => `- ${line}`)],
        ] as const;
      })
      .filter(([, lines]) => lines.length > 0),
  );
