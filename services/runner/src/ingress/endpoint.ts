/** Where a container answers, inside the machine's network. */
export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/** Who knows which instances may be spoken to: those that are ready, and wanted. */
export interface Endpoints {
  endpoint(instance: string): Endpoint | undefined;
}
