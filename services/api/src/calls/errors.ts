import { defineErrors } from '@berth/contract';

export const deliveryErrors = defineErrors({
  delivery_open: {
    status: 409,
    message: 'The callback {id} is still being tried; its next try is due at {nextAt}. Wait until it has ended.',
  },
});
