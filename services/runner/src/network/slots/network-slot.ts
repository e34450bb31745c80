import type { SlotFile } from './slot-files.ts';

/** A wired network namespace, held by a tiny container. */
export interface NetworkSlot {
  /** Id of the container that holds the slot. */
  readonly containerId: string;
  readonly address: string;
  /** Undefined for a slot of an earlier run of this process: whether its files were changed is not known. */
  readonly origin?: SlotOrigin | undefined;
}

/** The slot as it was created, to restore it later. */
export interface SlotOrigin {
  readonly pid: number;
  readonly prefixLength: number;
  /** The bridge's address, to which everything outside goes. */
  readonly gateway: string;
  /** Files that instances in the slot see instead of their own, and may write. */
  readonly files: readonly SlotFile[];
}

/** A slot that may have ended; its address is unknown then. */
export interface UsedSlot {
  readonly containerId: string;
  readonly address: string | undefined;
}
