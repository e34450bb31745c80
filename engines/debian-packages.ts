import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { environment } from '@berth/telemetry';

/**
 * Installs missing packages when run as root; otherwise throws an error with the command to run. `programs` are the
 * files that show whether the packages are installed.
 */
export function requireDebianPackages(what: string, packages: readonly string[], programs: readonly string[]): void {
  if (programs.every((program) => existsSync(program))) return;
  if (process.getuid?.() !== 0) {
    throw new Error(`${what} is missing. Run "apt-get install ${packages.join(' ')}", then run the command again.`);
  }
  const options = { stdio: 'inherit', env: { ...environment, DEBIAN_FRONTEND: 'noninteractive' } } as const;
  execFileSync('apt-get', ['update', '-qq'], options);
  execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], options);
}

/**
 * Mirror from which apt fetches a suite, because a machine may not reach the public mirrors. Empty when apt has none.
 */
export function debianMirror(suite: string): string[] {
  const format = ['--format', '$(CODENAME) $(REPO_URI)', 'Created-By: Packages'];
  const lines = execFileSync('apt-get', ['indextargets', ...format], { encoding: 'utf8' }).split('\n');
  return lines
    .filter((line) => line.startsWith(`${suite} `))
    .map((line) => line.slice(suite.length + 1))
    .slice(0, 1);
}
