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
  registry_not_allowed: {
    status: 400,
    message: '{field} comes from {registry}, which this deployment does not allow. Use an image from: {allowed}.',
  },
  registry_not_public: {
    status: 400,
    message:
      '{field} comes from {registry}, which is not a public host name. Use a registry that has one, or ask the operator to add {registry} to api.allowedRegistries.',
  },
  invalid_image: {
    status: 400,
    message:
      '{field} is not the name of an image. Write it like registry.example/name:tag, in lower case; the id of an image is not accepted.',
  },
  image_not_registered: {
    status: 400,
    message:
      '{field} names {image}, which is not registered in this workspace. Register it with POST /images, or name an image of a registry.',
  },
  no_hub_registry: {
    status: 400,
    message:
      '{field} names {image}, an image of the hub, and this deployment has no registry for those. Name another image, or ask the operator to set placement.imageRegistry.',
  },
  image_reserved: {
    status: 400,
    message:
      "{field} names {image}, which is not in this workspace's folder of the deployment's registry. Name an image of this workspace.",
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
