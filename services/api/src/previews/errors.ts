// Errors of previews.
import { defineErrors } from '@berth/contract';

export const previewErrors = defineErrors({
  preview_host_taken: {
    status: 409,
    message:
      'Another preview of the account answers at {host} already. Choose another prefixUrl, or repeat with force=true to replace a preview of this workspace.',
  },
  preview_domain_unknown: {
    status: 400,
    message:
      'spec.customDomain names {name}, which is no verified domain for previews of this workspace. Register it, set its DNS records and verify it first.',
  },
  preview_header_reserved: {
    status: 400,
    message: '{field} names {name}, which belongs to the platform. Choose another name for the header.',
  },
  preview_over: {
    status: 400,
    message: 'The preview would end at {at}, which is past. Send a later spec.expires or a longer spec.ttl.',
  },
  too_many_preview_tokens: {
    status: 409,
    message: 'The preview has {limit} tokens that have not expired. Delete one that is not needed any more.',
  },
});
