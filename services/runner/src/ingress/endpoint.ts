/** Where a container answers, inside the machine's network. */
export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

export type Admission =
  | {
      readonly is: 'open';
      readonly endpoint: Endpoint;
      /** How long a lease may be kept unused; as long as its holder likes when absent. */
      readonly keepMs?: number;
    }
  /** Nothing of that name may be spoken to here. */
  | { readonly is: 'unknown' }
  /** It sleeps, and the machine has no memory to wake it. */
  | { readonly is: 'busy'; readonly retryAfterSeconds: number };

/** Who knows which instances may be spoken to: those that are ready, and wanted. */
export interface Endpoints {
  /** Resolves once it is awake. Whoever asks has begun to use it in the traffic book: it does not fall asleep again meanwhile. */
  open(instance: string): Promise<Admission>;
}
