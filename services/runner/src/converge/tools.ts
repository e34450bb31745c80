// What the work on instances is done with.

import type { Brand } from '@berth/contract';
import type { Limit } from '@berth/pace';
import type { Logger } from '@berth/telemetry';
import type { ContainerState, Driver } from '../driver/driver.ts';
import type { ImageStore } from '../images/image-store.ts';
import type { Network } from '../network/network.ts';
import type { Observation } from '../node/report-book.ts';
import type { AdoptedBook } from '../sandbox/adopted-book.ts';
import type { Freezer } from '../sandbox/freezer.ts';
import type { GuestControl } from '../sandbox/guest-control.ts';
import type { SandboxKeeper } from '../sandbox/keeper.ts';
import type { FailureBook } from './failure-book.ts';

/** Output of instances, which outlives their containers. */
export interface OutputKeeper {
  /** Says where the output of an instance's present container is; said again, it changes nothing. */
  follow(instance: string, container: { readonly id: string; readonly logFile: string }): void;
  /** Before a container goes: what was not sent yet stays. */
  keep(instance: string, container: { readonly id: string; readonly logFile: string }): Promise<void>;
  /** Adds a line of the runner's own. One that cannot be stored now is left out. */
  note(instance: string, text: string): void;
  /** No further container of the instance comes. */
  end(instance: string): void;
  /** All of which something is kept. */
  instances(): readonly string[];
}

/** Those who speak to an instance. */
export interface Traffic {
  /**
   * Asks them to leave and waits until they have, the signal comes, or patience ends; for one that is leaving, patience is
   * as long as a request may be. With nobody there it is done at once.
   */
  drain(instance: string, signal: AbortSignal, isLeaving: boolean): Promise<void>;
  /** Its container has ended: whoever still speaks to it would wait for nothing, or reach who gets its address next. */
  cut(instance: string): void;
}

/** Whoever counts what instances write. */
interface DiskKeeper {
  /** The present container of an instance; said again, it changes nothing. */
  follow(
    instance: string,
    container: Pick<ContainerState, 'id' | 'labels' | 'writablePaths' | 'pid' | 'isolation'>,
  ): void;
  /** What it had written is gone. */
  forget(instance: string): void;
}

/** What sandboxes take beside. */
export interface SandboxTools {
  /** On this machine: the guest with all it needs. Absent: no new ones are offered. */
  readonly guestFolder: string | undefined;
  readonly brand: Brand;
  readonly control: GuestControl;
  readonly keeper: SandboxKeeper;
  /** For those that no keeper knows: of an earlier run of this process. */
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
  /** Making and starting containers: the engine is not faster when asked for many at a time. */
  readonly bringUps: Limit;
  /** Absent where none are offered. */
  readonly sandboxes?: SandboxTools;
  /** Absent where nobody can reach instances. */
  readonly traffic?: Traffic;
  /** Absent where nobody watches the disk. */
  readonly disk?: DiskKeeper;
  readonly onBroughtUp: (seconds: number) => void;
  readonly logger: Logger;
}
