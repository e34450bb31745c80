import { z } from 'zod';

/** A line of the engine's pull output: about one layer, about the whole image, or an error. */
export const PullLine = z.object({
  id: z.string().optional(),
  status: z.string().optional(),
  progressDetail: z.object({ current: z.number().optional(), total: z.number().optional() }).optional(),
  error: z.string().optional(),
});
type PullLine = z.infer<typeof PullLine>;

/** Each status means that the layer is downloaded. The engine may skip all of them but the last. */
const downloaded: readonly (string | undefined)[] = [
  'Verifying Checksum',
  'Download complete',
  'Extracting',
  'Pull complete',
];

/** Sums up the layers. The total grows while the engine learns the size of each layer. */
export class PullProgress {
  readonly #layers = new Map<string, { done: number; total: number }>();

  /** Sum of all layers, when the line changed it. Unpacking is not counted, because it has other sizes. */
  take({ id, status, progressDetail }: PullLine): { done: number; total: number } | undefined {
    if (id === undefined) return undefined;
    const layer = this.#layers.get(id);
    if (status === 'Downloading' && progressDetail?.total !== undefined) {
      this.#layers.set(id, { done: progressDetail.current ?? 0, total: progressDetail.total });
    } else if (downloaded.includes(status) && layer !== undefined && layer.done < layer.total) {
      this.#layers.set(id, { done: layer.total, total: layer.total });
    } else {
      return undefined;
    }
    const layers = [...this.#layers.values()];
    const sum = (key: 'done' | 'total') => layers.reduce((all, one) => all + one[key], 0);
    return { done: sum('done'), total: sum('total') };
  }
}
