interface PublicAddresses {
  readonly workloadScheme: string;
  readonly workloadPort?: number | undefined;
}

/** Address at which clients reach a host name of a workload, a preview or the gateway. */
export function publicUrl(host: string, { workloadScheme, workloadPort }: PublicAddresses): string {
  return `${workloadScheme}://${host}${workloadPort === undefined ? '' : `:${workloadPort}`}`;
}
