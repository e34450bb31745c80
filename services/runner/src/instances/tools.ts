// Dependencies of the workers that converge instances.

import type { Brand } from '@berth/contract';
import type { Limit } from '@berth/pace';
import type { Logger } from '@berth/telemetry';
import type { ContainerState, Driver } from '../driver/driver.ts';
import type { FailureBook } from '../failures/failure-book.ts';
import type { ImageStore } from '../images/image-store.ts';
import type { Network } from '../network/network.ts';
import type { Observation } from '../node/report-book.ts';
import type { AdoptedBook } from '../sandbox/adopted-book.ts';
import type { GuestControl } from '../sandbox/guest-control.ts';
import type { Freezer } from '../sleep/freezer.ts';
import type { SandboxKeeper } from '../sleep/keeper.ts';

/** Output of instances, which outlives their containers. */
export interface OutputKeeper {
  /** Sets the current container of an instance, whose output is read. Idempotent. */
  follow(instance: string, container: { readonly id: string; readonly logFile: string }): void;
  /** Called before a container is removed: keeps output that is not sent yet. */
  keep(instance: string, container: { readonly id: string; readonly logFile: string }): Promise<void>;
  /** Adds a line written by the runner. A line that cannot be stored now is dropped. */
  note(instance: string, text: string): void;
  /** The instance gets no further container. */
  end(instance: string): void;
  /** Instances with kept output. */
  instances(): readonly string[];
}

/** Connections to an instance. */
export interface Traffic {
  /**
   * Asks clients to leave, and waits until they have left, the signal aborts, or the drain timeout ends; for a leaving
   * instance that timeout is as long as a request may take. Resolves at once without connections.
   */
  drain(instance: string, signal: AbortSignal, isLeaving: boolean): Promise<void>;
  /** The container has ended: open connections would hang, or reach the next instance that gets its address. */
  cut(instance: string): void;
}

/** Counts the disk space that instances use. */
interface DiskKeeper {
  /** Sets the current container of an instance. Idempotent. */
  follow(
    instance: string,
    container: Pick<ContainerState, 'id' | 'labels' | 'writablePaths' | 'pid' | 'isolation'>,
  ): void;
  /** The files that the instance had written are removed. */
  forget(instance: string): void;
}

/** Additional dependencies for sandboxes. */
export interface SandboxTools {
  /** Folder on this machine with the guest and all its files. Absent: no new sandboxes are offered. */
  readonly guestFolder: string | undefined;
  readonly brand: Brand;
  readonly control: GuestControl;
  readonly keeper: SandboxKeeper;
  /** For sandboxes that the keeper does not know, from an earlier run of this process. */
  readonly freezer: Freezer;
  readonly adopted: AdoptedBook;
}

export interface ConvergeTools {
  readonly runnerId: string;
  readonly driver: Driver;
  readonly network: Network;
  readonly images: Pick<ImageStore, 'ensure'>;
  readonly output: OutputKeeper;
  readonly failures: FailureBook;
  readonly report: (instance: string, observation: Observation) => void;
  /** Limits concurrent container creations and starts: the engine is not faster with many at a time. */
  readonly bringUps: Limit;
  /** Absent when the runner offers no sandboxes. */
  readonly sandboxes?: SandboxTools;
  /** Absent when instances are not reachable. */
  readonly traffic?: Traffic;
  /** Absent when the disk is not watched. */
  readonly disk?: DiskKeeper;
  readonly onBroughtUp: (seconds: number) => void;
  readonly logger: Logger;
}
