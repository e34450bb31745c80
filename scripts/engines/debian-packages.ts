import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { environment } from '@berth/telemetry';

/** Installs what is missing when the caller may; else says which command to run. `programs` tell whether it is there. */
export function requireDebianPackages(what: string, packages: readonly string[], programs: readonly string[]): void {
  if (programs.every((program) => existsSync(program))) return;
  if (process.getuid?.() !== 0) {
    throw new Error(`${what} is missing. Run "apt-get install ${packages.join(' ')}", then run the command again.`);
  }
  const options = { stdio: 'inherit', env: { ...environment, DEBIAN_FRONTEND: 'noninteractive' } } as const;
  execFileSync('apt-get', ['update', '-qq'], options);
  execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], options);
}

/** Where apt fetches a suite from, because a machine may have no way to the public mirrors. Empty when it has none. */
export function debianMirror(suite: string): string[] {
  const format = ['--format', '$(CODENAME) $(REPO_URI)', 'Created-By: Packages'];
  const lines = execFileSync('apt-get', ['indextargets', ...format], { encoding: 'utf8' }).split('\n');
  return lines
    .filter((line) => line.startsWith(`${suite} `))
    .map((line) => line.slice(suite.length + 1))
    .slice(0, 1);
}
