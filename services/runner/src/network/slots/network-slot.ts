/** A wired network namespace, held by a tiny container, waiting for the one instance that will use it. */
export interface NetworkSlot {
  /** Id of the container that holds the slot. */
  readonly containerId: string;
  readonly address: string;
}

/** A slot that may have ended; its address is unknown then. */
export interface UsedSlot {
  readonly containerId: string;
  readonly address: string | undefined;
}
