import { defineErrors } from '@berth/contract';

export const imageErrors = defineErrors({
  build_unavailable: {
    status: 400,
    message:
      'Builds are not available in this deployment yet. Build and push the image yourself, then register it here with its reference in image.',
  },
  invalid_reference: {
    status: 400,
    message: 'image is not a reference of the form registry/path:tag. Correct it and register the image again.',
  },
  not_an_outside_image: {
    status: 400,
    message:
      'image begins with {segment}, which stands for images of this service. Register the reference of an outside registry.',
  },
  too_many_tags: {
    status: 400,
    message: 'The image has {limit} tags, which is the most. Delete tags that nothing uses first.',
  },
  image_in_use: {
    status: 400,
    message: 'The image {image} is in use by {user}. Move that to another image or delete it first.',
  },
});
