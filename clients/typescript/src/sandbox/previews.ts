// Addresses for ports of a sandbox.
import type { Preview, PreviewSpecInput } from '../generated/management.ts';
import type { ManagementApi } from '../management-api.ts';

/** Addresses for ports of a sandbox, which open in browsers. */
export class Previews {
  readonly #api: ManagementApi;
  readonly #sandboxName: string;

  constructor(api: ManagementApi, sandboxName: string) {
    this.#api = api;
    this.#sandboxName = sandboxName;
  }

  /** A private preview needs a token, a public one is open to everyone who has its address (`spec.url`). */
  create(name: string, spec: PreviewSpecInput): Promise<Preview> {
    const params = { sandboxName: this.#sandboxName };
    return this.#api.request('createPreview', { params, body: { metadata: { name }, spec } });
  }

  /** All previews of the sandbox. */
  list(): Promise<Preview[]> {
    return this.#api.request('listPreviews', { params: { sandboxName: this.#sandboxName } });
  }

  /** Deletes a preview; its address no longer answers. */
  async delete(name: string): Promise<void> {
    await this.#api.request('deletePreview', { params: { sandboxName: this.#sandboxName, previewName: name } });
  }
}
