import { readdirSync, readFileSync } from 'node:fs';

/** Reads /proc alone: small images have no `ps`, and gVisor does not list children. */
export function childrenOf(parent: number): { pid: number; state: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        // Fields after the program's name, which may contain any character.
        const [state = '', ppid] = readFileSync(`/proc/${name}/stat`, 'utf8')
          .replace(/^.*\) /s, '')
          .split(' ');
        return Number(ppid) === parent ? [{ pid: Number(name), state }] : [];
      } catch {
        return [];
      }
    });
}
