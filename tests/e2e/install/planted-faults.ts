// Faults of a running deployment, and the check that has to find each.
import { domain } from './install-box.ts';

export interface PlantedFault {
  readonly fault: string;
  /** Command of the box. */
  readonly plant: string;
  /** Name of the only check that finds it. */
  readonly check: string;
  /** Heals it; without this the command of `FIX:` does. */
  readonly mend?: string;
}

const settings = '/etc/berth/berth.yaml';
const keep = (file: string): string => `cp --preserve ${file} /root/kept`;
const giveBack = (file: string): string => `cp --preserve /root/kept ${file}`;
const inDatabase = (statement: string): string =>
  `docker exec berth-postgres-1 psql --username berth --dbname berth --quiet --command "${statement}"`;

/** The small size plants this one. */
export const quickFaults: readonly PlantedFault[] = [
  { fault: 'a secret that others may read', plant: `chmod 0644 ${settings}`, check: 'closed-files' },
];

export const slowFaults: readonly PlantedFault[] = [
  {
    fault: 'a name without an address',
    plant: `${keep('/etc/hosts')} && sed 's/api.${domain}//' /root/kept >/etc/hosts`,
    check: 'names',
    mend: 'cat /root/kept >/etc/hosts',
  },
  { fault: 'a gateway that is gone', plant: 'docker rm --force berth-gateway-2-1', check: 'services' },
  {
    fault: 'PostgreSQL that does not answer',
    plant: 'docker pause berth-postgres-1',
    check: 'postgres',
    mend: 'docker unpause berth-postgres-1',
  },
  {
    fault: 'Restate that does not answer',
    plant: 'docker pause berth-restate-1',
    check: 'restate',
    mend: 'docker unpause berth-restate-1',
  },
  {
    fault: 'another master key',
    plant: `${keep(settings)} && sed --in-place --regexp-extended "s|^( *key: ).*|\\1$(openssl rand -base64 32)|" ${settings}`,
    check: 'master-keys',
    mend: giveBack(settings),
  },
  {
    fault: 'an older schema',
    plant: inDatabase(
      'create table kept as select * from schema_migrations order by name desc limit 1; delete from schema_migrations where name = (select name from kept)',
    ),
    check: 'schema',
    mend: inDatabase('insert into schema_migrations select * from kept; drop table kept'),
  },
  { fault: 'a runner that was stopped', plant: 'systemctl stop berth-runner', check: 'runner' },
  {
    fault: 'a firewall that drops the packets of instances',
    plant: 'iptables --insert DOCKER-USER --in-interface berth0 --jump DROP',
    check: 'sandbox',
    mend: 'iptables --delete DOCKER-USER --in-interface berth0 --jump DROP',
  },
];

const plugin = '/usr/libexec/docker/cli-plugins/docker-compose';

/** On a machine without an installation. */
export const faultsBefore: readonly (PlantedFault & { readonly mend: string })[] = [
  {
    fault: 'Docker that does not run',
    plant: 'systemctl stop docker.socket docker',
    check: 'docker',
    mend: 'systemctl start docker && docker start own',
  },
  {
    fault: 'no Compose',
    plant: `mv ${plugin} /root/`,
    check: 'compose',
    mend: `mv /root/docker-compose ${plugin}`,
  },
  {
    fault: 'another program on port 443',
    plant: 'systemd-run --quiet --unit taken systemd-socket-activate --listen 443 /bin/cat; sleep 1',
    check: 'free-ports',
    mend: 'systemctl stop taken',
  },
  {
    fault: 'a name without an address',
    plant: `${keep('/etc/hosts')} && sed 's/api.${domain}//' /root/kept >/etc/hosts`,
    check: 'names',
    mend: 'cat /root/kept >/etc/hosts',
  },
  {
    fault: 'too little memory',
    plant:
      "sed 's/^MemTotal:.*/MemTotal: 2000000 kB/' /proc/meminfo >/root/meminfo && mount --bind /root/meminfo /proc/meminfo",
    check: 'memory',
    mend: 'umount /proc/meminfo',
  },
];
