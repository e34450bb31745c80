// Checks that a workload may use the image it names. Placement applies the same rule again when it starts an instance.
import { parseImageReference } from '@berth/contract';
import { findImage, type ImageFault } from '@berth/instances';
import { requireAllowedRegistry } from '../images/allowed-registries.ts';
import { imageErrors } from '../images/errors.ts';
import type { RuleContext } from '../resources/rules.ts';
import { textOf } from './spec-fields.ts';

const refusals = {
  malformed: ({ field }) => imageErrors.invalid_image({ field }),
  unregistered: imageErrors.image_not_registered,
  'no-hub': imageErrors.no_hub_registry,
  reserved: imageErrors.image_reserved,
} satisfies Record<ImageFault, (named: { readonly field: string; readonly image: string }) => Error>;

export async function checkImage(
  { tx, workspace, dependencies }: RuleContext,
  field: string,
  image: unknown,
): Promise<void> {
  const named = textOf(image) ?? '';
  if (named === '') return;
  const { config, placement } = dependencies;
  const choice = await findImage(tx, workspace, named, { placement, brand: config.brand });
  if ('fault' in choice) throw refusals[choice.fault]({ field, image: named });
  if (choice.source.origin !== 'outside') return;
  const reference = parseImageReference(choice.image);
  if (reference !== undefined) requireAllowedRegistry(reference, field, config);
}
