// Files of an installation on its machine. They are paths of the host; containers see some of them under other names.
import { join } from 'node:path';

export type Places = ReturnType<typeof placesBelow>;

/** The root is another folder only in tests. */
export function placesBelow(root: string) {
  const at = (path: string): string => join(root, path);
  return {
    releases: at('opt/berth'),
    currentRelease: at('opt/berth/current'),
    /** Archive of the release, which machines that join fetch. */
    archive: at('opt/berth/archive/berth-linux-x64.tar.gz'),
    program: at('usr/local/bin/berth-server'),
    configuration: at('etc/berth'),
    record: at('etc/berth/install.yaml'),
    settings: at('etc/berth/berth.yaml'),
    postgresPassword: at('etc/berth/postgres-password'),
    clickhouseUsers: at('etc/berth/clickhouse-users.xml'),
    caddy: at('etc/berth/caddy'),
    composeVariables: at('etc/berth/compose.env'),
    /** Holds the join token until the runner has joined. */
    runnerEnvironment: at('etc/berth/runner.env'),
    /** Exists between the first run and the end of the installation, which shows the key. */
    firstKey: at('etc/berth/first-key'),
    data: at('var/lib/berth'),
    /** Of the backup before an upgrade, beside those of the operator. */
    backups: at('var/backups/berth'),
    runnerState: at('var/lib/berth/runner'),
    runnerUnit: at('etc/systemd/system/berth-runner.service'),
    modules: at('etc/modules-load.d/berth.conf'),
    dockerSettings: at('etc/docker/daemon.json'),
  } as const;
}

export const runnerUnitName = 'berth-runner.service';
