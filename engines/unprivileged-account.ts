import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

type Account = { uid: number; gid: number };

const accountNames = ['postgres', 'berth-engines'] as const;

/** Undefined when the caller is not root: engines then run as the caller. PostgreSQL refuses to run as root. */
export function unprivilegedAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const found = findAccount();
  if (found) return found;
  execFileSync('useradd', ['--system', '--no-create-home', '--shell', '/usr/sbin/nologin', 'berth-engines']);
  const created = findAccount();
  if (!created) throw new Error('useradd made no account "berth-engines". Create one, then run the command again.');
  return created;
}

function findAccount(): Account | undefined {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of accountNames) {
    const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) };
  }
  return undefined;
}
