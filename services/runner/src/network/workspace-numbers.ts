// The table compares numbers, not ids. A number means something only together with the elements in the table, so numbers
// are handed out afresh by every run of the runner.

export class WorkspaceNumbers {
  readonly #numbers = new Map<string, number>();
  readonly #workspaceOf = new Map<string, string>();
  #last = 0;

  /** Of every address that is admitted. */
  get members(): ReadonlyMap<string, number> {
    return new Map([...this.#workspaceOf].map(([address, workspace]) => [address, this.#numberFor(workspace)]));
  }

  numberOf(address: string): number | undefined {
    const workspace = this.#workspaceOf.get(address);
    return workspace === undefined ? undefined : this.#numberFor(workspace);
  }

  /** An address belongs to one workspace: the last one it was given. */
  add(address: string, workspace: string): number {
    if (this.#workspaceOf.get(address) !== workspace) this.remove(address);
    this.#workspaceOf.set(address, workspace);
    return this.#numberFor(workspace);
  }

  remove(address: string): void {
    const workspace = this.#workspaceOf.get(address);
    this.#workspaceOf.delete(address);
    const stillThere = workspace !== undefined && [...this.#workspaceOf.values()].includes(workspace);
    if (workspace !== undefined && !stillThere) this.#numbers.delete(workspace);
  }

  #numberFor(workspace: string): number {
    const known = this.#numbers.get(workspace);
    if (known !== undefined) return known;
    // Zero stands for nobody.
    this.#last += 1;
    this.#numbers.set(workspace, this.#last);
    return this.#last;
  }
}
