// Limits of one image pull, and the messages when a pull exceeds them.
import { bytesPerMb } from '@berth/contract/node';
import { PullFailed } from '../driver/driver.ts';

export interface PullLimits {
  /** Compressed size, as the registry sends it. */
  readonly downloadBytes: number;
  /** Unpacked size on disk. */
  readonly unpackedBytes: number;
}

const megabytes = (bytes: number): number => Math.floor(bytes / bytesPerMb);

const advice = 'Use a smaller image, or ask the operator to raise';

export const downloadTooLarge = (image: string, { downloadBytes }: PullLimits): PullFailed =>
  new PullFailed(
    'too_large',
    `${image} is larger than the ${megabytes(downloadBytes)} MB that an image may have in its registry. ${advice} runner.imageMaxMb.`,
  );

export const unpackedTooLarge = (image: string, { unpackedBytes }: PullLimits): PullFailed =>
  new PullFailed(
    'too_large',
    `${image} takes more than the ${megabytes(unpackedBytes)} MB of disk that an image may take unpacked. ${advice} runner.imageMaxUnpackedMb.`,
  );

export const noRoomFor = (image: string): PullFailed =>
  new PullFailed(
    'no_room',
    `The disk of the machine is nearly full, so ${image} is not pulled there now. Try again later, or use a smaller image; ask the operator for a larger disk if this comes again.`,
  );
