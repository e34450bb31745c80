// Host of a preview. It is derived from names alone, so that a recreated preview, even in a recreated sandbox, has the
// same address as before. Control-plane sheet 4.8.
import { hash } from 'node:crypto';
import { endsLikeShortId, shortId } from '../rules/host-labels.ts';

export interface PreviewNames {
  readonly workspace: { readonly id: string; readonly name: string };
  readonly sandbox: string;
  readonly preview: string;
}

/**
 * Below the deployment's domain: a label in a region. Below a custom domain: the whole host name, with an empty region.
 */
export interface PreviewHost {
  readonly region: string;
  readonly label: string;
}

const maxLabelLength = 63;
/** 80 bits: enough to avoid collisions within a deployment. */
const idLength = 20;

/** Only digits and letters. A label with a prefix always contains a hyphen, so no prefix can imitate an id. */
export const previewId = ({ workspace, sandbox, preview }: PreviewNames): string =>
  hash('sha256', JSON.stringify([workspace.id, sandbox, preview]), 'hex').slice(0, idLength);

/** Candidate labels in the order in which they are tried. */
export function previewLabels(names: PreviewNames, prefix: string | undefined): string[] {
  if (prefix === undefined) return [previewId(names)];
  const { workspace } = names;
  const readable = `${prefix}-${workspace.name}`;
  const short = `${prefix}-${shortId(workspace.id)}`;
  return (endsLikeShortId.test(readable) ? [short] : [readable, short]).filter(
    (label) => label.length <= maxLabelLength,
  );
}

export const previewHostName = ({ region, label }: PreviewHost, workloadDomain: string): string =>
  region === '' ? label : `${label}.${region}.preview.${workloadDomain}`;
