/** True while a process with this pid exists, including a zombie that its parent has not reaped. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
