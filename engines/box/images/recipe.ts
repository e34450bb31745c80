import type { LayerRecipe } from './layer.ts';

/** An image for a box. It takes the same environment, command line, ports and paths as the official one that it stands for. */
export interface ImageRecipe {
  readonly image: string;
  /** Variable of `images.env` that names it. */
  readonly variable: string;
  /** On top of the base. */
  readonly layer: LayerRecipe;
  readonly config: {
    readonly Env?: readonly string[];
    readonly Entrypoint?: readonly string[];
    readonly Cmd?: readonly string[];
    readonly WorkingDir?: string;
  };
}

export const searchPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
