/** Address of a container inside the machine's network. */
export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

export type Admission =
  | {
      readonly is: 'open';
      readonly endpoint: Endpoint;
      /** Maximum time that a lease may be kept unused; unlimited when absent. */
      readonly keepMs?: number;
    }
  /** No instance with that id takes requests on this runner. */
  | { readonly is: 'unknown' }
  /** The sandbox sleeps, and the machine has no memory to wake it. */
  | { readonly is: 'busy'; readonly retryAfterSeconds: number };

/** Opens instances for requests. Only instances that are ready and wanted can be opened. */
export interface Endpoints {
  /**
   * Resolves once the instance is awake. The caller must already hold a lease, so that the
   * instance does not fall asleep again meanwhile.
   */
  open(instance: string): Promise<Admission>;
}
