/** Whether a process of this number exists; one that ended counts until its parent has heard of it. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
