// Where a preview answers. Its host follows from names alone, so that a preview that is made again, also in a sandbox that was
// made again, has the address that it had. Control-plane sheet 4.8.
import { hash } from 'node:crypto';
import { endsLikeShortId, shortId } from '../kinds/host-labels.ts';

export interface PreviewNames {
  readonly workspace: { readonly id: string; readonly name: string };
  readonly sandbox: string;
  readonly preview: string;
}

/** Below the deployment's domain a label in a region; below a customer's the whole host, and no region. */
export interface PreviewHost {
  readonly region: string;
  readonly label: string;
}

const longestLabel = 63;
/** 80 bits: enough that no two texts of a deployment share them. */
const idLength = 20;

/** Digits and letters only. A prefix brings a hyphen, so that nobody can choose an id as a prefix. */
export const previewId = ({ workspace, sandbox, preview }: PreviewNames): string =>
  hash('sha256', JSON.stringify([workspace.id, sandbox, preview]), 'hex').slice(0, idLength);

/** In the order in which they are tried. */
export function previewLabels(names: PreviewNames, prefix: string | undefined): string[] {
  if (prefix === undefined) return [previewId(names)];
  const { workspace } = names;
  const readable = `${prefix}-${workspace.name}`;
  const short = `${prefix}-${shortId(workspace.id)}`;
  return (endsLikeShortId.test(readable) ? [short] : [readable, short]).filter((label) => label.length <= longestLabel);
}

export const previewHostName = ({ region, label }: PreviewHost, workloadDomain: string): string =>
  region === '' ? label : `${label}.${region}.preview.${workloadDomain}`;
