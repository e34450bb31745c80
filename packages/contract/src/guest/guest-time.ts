import type { Brand } from '../api/brand.ts';

/**
 * Header of the guest's responses to traced requests: milliseconds until the head of the response. The guest reaches no
 * collector, so the gateway makes its span; clients do not get the header.
 */
export const guestTimeHeader = ({ long }: Pick<Brand, 'long'>): string => `X-${long}-Guest-Ms`;
