// Interface of the machine's network for the rest of the runner.
import type { FirewallProblem } from './firewall/check-firewall.ts';
import type { Membership } from './rules/membership.ts';
import type { NetworkSlot, UsedSlot } from './slots/network-slot.ts';

/** An address that has hit a limit, and the message for its owner. */
export interface Refusal {
  readonly address: string;
  readonly text: string;
}

export interface Network {
  /**
   * Returns a ready slot, or a new one when none is left. It belongs to the caller until released.
   * With `isBackground` it is always a new one, so that the ready ones are left for instances that a user waits for.
   * With `keptFor` a slot that was kept for this workspace comes first; every other slot was not used before.
   */
  takeSlot(options?: { readonly isBackground?: boolean; readonly keptFor?: string | undefined }): Promise<NetworkSlot>;
  /** Removes the slot's container and dismisses its address; the instance that used it must be gone. */
  releaseSlot(slot: UsedSlot): Promise<void>;
  /**
   * Dismisses the slot's address, and keeps the slot for a few seconds for another instance of the workspace. The instance
   * that used it must be gone.
   */
  keepSlot(slot: NetworkSlot, workspaceId: string): Promise<void>;
  /**
   * Finds a slot that an instance of an earlier run of this process still uses, by the id of the container that holds
   * it.
   */
  adoptSlot(containerId: string): Promise<NetworkSlot | undefined>;
  /** Starts a slot whose container has ended, as after a reboot of the machine. Its address may change. */
  restartSlot(slot: UsedSlot): Promise<NetworkSlot | undefined>;
  /**
   * From here on the address reaches the outside and, within its VPC, the declared ports of its peers. Before, it
   * reaches nothing.
   */
  admit(address: string, membership: Membership): Promise<void>;
  dismiss(address: string): Promise<void>;
  /**
   * Compares table, sets, bridge and kernel switches with what they should be, and repairs differences. Returns a
   * description of each repair; empty when all was well.
   */
  verify(): Promise<readonly string[]>;
  /** Addresses that hit a limit on what they send within the last minute. */
  refused(): Promise<readonly Refusal[]>;
  /** Tests with real packets whether other firewalls of this machine let instances through; returns the problems. */
  checkFirewall(): Promise<readonly FirewallProblem[]>;
  /** Removes unused slots. The table stays: instances outlive this process. */
  close(): Promise<void>;
}
