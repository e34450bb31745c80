import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callDocker } from '../../engines/docker-api.ts';

/**
 * Builds an image from the tiny one, with the given shell text as its program. Only its user 0 can write to the root file
 * system. Returns its name.
 */
export async function importScriptImage(dockerUrl: string, name: string, script: string, user = 1000): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-script-'));
  try {
    await chmod(folder, 0o755);
    await mkdir(join(folder, 'script'));
    await writeFile(join(folder, 'script/main.sh'), `${script}\n`, { mode: 0o755 });
    await writeFile(
      join(folder, 'Dockerfile'),
      `FROM berth-tiny:latest\nCOPY script/main.sh /main.sh\nUSER ${user}:${user}\nCMD ["sh","/main.sh"]\n`,
    );
    const tar = execFileSync('tar', ['--create', '--directory', folder, '.'], { maxBuffer: 64_000_000 });
    await callDocker(dockerUrl, `POST /build?t=${name}:latest&networkmode=none`, {
      body: tar,
      headers: { 'content-type': 'application/x-tar' },
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return `${name}:latest`;
}
