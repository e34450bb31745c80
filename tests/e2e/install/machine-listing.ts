// What an installation can leave on a machine, as lists that compare.
import type { Box } from '../../../engines/box/box.ts';

/** Each prints a line for each thing. */
const commands = {
  files:
    'find / -xdev \\( -path /var/log -o -path /var/cache -o -path /var/tmp -o -path /root -o -path /var/lib/systemd -o -path /var/lib/private ' +
    "-o -path /var/lib/docker -o -path /var/lib/containerd -o -path /media -o -path /etc/machine-id \\) -prune -o ! -type d -printf '%p %m %u %g %s\\n'",
  folders:
    'find / -xdev \\( -path /var/log -o -path /var/cache -o -path /var/tmp -o -path /root -o -path /var/lib/systemd -o -path /var/lib/private ' +
    "-o -path /var/lib/docker -o -path /var/lib/containerd -o -path /media \\) -prune -o -type d -printf '%p %m %u %g\\n'",
  unitFiles: 'systemctl list-unit-files --no-legend --no-pager | sed "s/ *$//"',
  units:
    'systemctl list-units --type=service --state=active --no-legend --no-pager --plain | cut --delimiter=" " --fields=1 | grep -v "^command-"',
  tables: 'nft list tables',
  links: "ip -brief link | cut --delimiter=' ' --fields=1",
  namespaces: 'ip netns list',
  networks: "docker network ls --format '{{.Name}}'",
  containers: "docker ps --all --no-trunc --format '{{.Names}} {{.ID}}'",
  volumes: "docker volume ls --format '{{.Name}}'",
  images: "docker images --no-trunc --format '{{.Repository}}:{{.Tag}} {{.ID}}'",
  cgroups: "find /sys/fs/cgroup -mindepth 1 -maxdepth 3 -type d | grep -v '/command-\\|/docker/\\|/init.scope'",
  accounts: 'cut --delimiter=: --fields=1 /etc/passwd',
  firewall: 'iptables-save | grep -v "^#\\|^:"',
} as const;

export type Listed = keyof typeof commands;
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

/** What one listing has and the other has not; empty when both are equal. */
export const difference = (before: MachineListing, after: MachineListing) =>
  Object.fromEntries(
    names
      .map(
        (name) =>
          [
            name,
            [
              ...after[name].filter((line) => !before[name].includes(line)).map((line) => `+ ${line}`),
              ...before[name].filter((line) => !after[name].includes(line)).map((line) => `- ${line}`),
            ],
          ] as const,
      )
      .filter(([, lines]) => lines.length > 0),
  );
