// The workspace and VPC that own each sandbox, on disk: container labels cannot change, and after a restart of the
// runner a sandbox must be in its owner's VPC and in no other. A file survives the process, but a crash of the machine
// may lose it: then the sandbox has no network until the api sends its owner again.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { InstanceVpc } from '@berth/contract/node';
import { z } from 'zod';

const Entry = z.object({
  workspaceId: z.uuid(),
  /** VPC as given to the network: without the guest's port. */
  vpc: InstanceVpc.optional(),
  /** Newest generation that is applied completely; 0 while the first adoption is in progress. */
  generation: z.int().nonnegative(),
});
export type Adoption = z.infer<typeof Entry>;

const suffix = '.json';

export class AdoptionFiles {
  readonly #folder: string;
  readonly #entries = new Map<string, Adoption>();

  constructor(stateFolder: string) {
    this.#folder = join(stateFolder, 'adopted');
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(this.#folder)) {
      const entry = name.endsWith(suffix) ? read(join(this.#folder, name)) : undefined;
      if (entry !== undefined) this.#entries.set(name.slice(0, -suffix.length), entry);
    }
  }

  find(instance: string): Adoption | undefined {
    return this.#entries.get(instance);
  }

  /**
   * Synchronous, so writes keep the order of the calls. Every adoption waits for it; it takes a fraction of a
   * millisecond.
   */
  save(instance: string, entry: Adoption): void {
    if (isDeepStrictEqual(this.#entries.get(instance), entry)) return;
    const draft = `${this.#file(instance)}.new`;
    writeFileSync(draft, JSON.stringify(entry), { mode: 0o600 });
    renameSync(draft, this.#file(instance));
    this.#entries.set(instance, entry);
  }

  forget(instance: string): void {
    if (this.#entries.delete(instance)) rmSync(this.#file(instance), { force: true });
  }

  instances(): string[] {
    return [...this.#entries.keys()];
  }

  #file(instance: string): string {
    return join(this.#folder, `${instance}${suffix}`);
  }
}

function read(file: string): Adoption | undefined {
  try {
    return Entry.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}
