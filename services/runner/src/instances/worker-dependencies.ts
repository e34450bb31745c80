import type { PrioritySemaphore } from '@berth/concurrency';
import type { Logger, SpanSink } from '@berth/telemetry';
import type { DiskWatch } from '../disk/disk-watch.ts';
import type { Driver } from '../driver/driver.ts';
import type { FailureFiles } from '../failures/failure-files.ts';
import type { ImageStore } from '../images/image-store.ts';
import type { InstanceLeases } from '../ingress/instance-leases.ts';
import type { OutputShipper } from '../logs/output-shipper.ts';
import type { UsageMeter } from '../meter/meter.ts';
import type { Network } from '../network/network.ts';
import type { Observation } from '../node/pending-reports.ts';
import type { Orphans } from '../orphans/orphans.ts';
import type { SandboxServices } from '../sandbox/sandbox-services.ts';
import type { TaskFiles } from './tasks/task-files.ts';

/** What the workers need from the rest of the runner. */
export interface WorkerDependencies {
  readonly runnerId: string;
  readonly driver: Driver;
  readonly network: Network;
  readonly images: Pick<ImageStore, 'ensure'>;
  readonly output: Omit<OutputShipper, 'close'>;
  readonly failures: FailureFiles;
  readonly tasks: TaskFiles;
  readonly orphans: Orphans;
  readonly report: (instance: string, observation: Observation) => void;
  /** Limits concurrent container creations and starts: the engine is not faster with many at a time. */
  readonly bringUps: PrioritySemaphore;
  readonly sandboxes: SandboxServices;
  /** Absent when instances are not reachable. */
  readonly leases?: Pick<InstanceLeases, 'drain' | 'cut'>;
  /** Absent when the disk is not watched. */
  readonly disk?: Pick<DiskWatch, 'follow' | 'forget'>;
  /** Absent when nothing is metered. */
  readonly meter?: UsageMeter;
  readonly onBroughtUp: (seconds: number) => void;
  readonly logger: Logger;
  readonly spans?: SpanSink | undefined;
}
