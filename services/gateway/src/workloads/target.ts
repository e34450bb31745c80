export interface Target {
  /** Path exactly as the workload shall receive it, byte for byte. */
  readonly path: string;
  /** Undefined means the instance's main port. */
  readonly port: number | undefined;
  /** Prefix removed from the path, as the client wrote it. */
  readonly prefix: string | undefined;
}

export interface SandboxRules {
  /** Policy for ports that the owner has not declared. */
  readonly undeclaredPorts: 'refuse' | 'allow';
}
