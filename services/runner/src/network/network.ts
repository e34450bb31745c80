// What the rest of the runner asks of the machine's network.
import type { FirewallProblem } from './firewall/check-firewall.ts';
import type { Membership } from './membership.ts';

/** A wired network namespace, held by a tiny container, waiting for the one instance that will use it. */
export interface NetworkSlot {
  /** Of the container that holds it. */
  readonly containerId: string;
  readonly address: string;
}

/** An address that has met a limit, and what its owner should read about it. */
export interface Refusal {
  readonly address: string;
  readonly text: string;
}

/** One that may have ended: then nobody knows its address. */
export interface UsedSlot {
  readonly containerId: string;
  readonly address: string | undefined;
}

export interface Network {
  /**
   * A ready slot, or a new one when none is left. It belongs to the caller until released, and is used once. Whoever nobody
   * waits for yet leaves the ready ones to others.
   */
  takeSlot(wish?: { readonly isForLater?: boolean }): Promise<NetworkSlot>;
  /** Removes the slot's container and dismisses its address; what used it must be gone. */
  releaseSlot(slot: UsedSlot): Promise<void>;
  /** Slots that instances of an earlier run of this process still use, by the id of the container that holds them. */
  adoptSlot(containerId: string): Promise<NetworkSlot | undefined>;
  /** Starts a slot whose container has ended, as after a reboot of the machine. Its address may be another one then. */
  restartSlot(slot: UsedSlot): Promise<NetworkSlot | undefined>;
  /** From here on the address speaks to the outside and, within its VPC, to declared ports of its peers; before, to nobody. */
  admit(address: string, membership: Membership): Promise<void>;
  dismiss(address: string): Promise<void>;
  /**
   * Holds table, sets, bridge and kernel switches against what they should be, and mends what differs. Returns what it
   * mended, empty when all was well.
   */
  verify(): Promise<readonly string[]>;
  /** Addresses that have met a limit on what they send within the last minute. */
  refused(): Promise<readonly Refusal[]>;
  /** Whether other firewalls of this machine let instances through, tried with real packets. */
  checkFirewall(): Promise<readonly FirewallProblem[]>;
  /** Removes slots that nobody took. The table stays: instances outlive this process. */
  close(): Promise<void>;
}
