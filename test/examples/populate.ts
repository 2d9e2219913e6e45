/** Supply points to be looked up beforehand (document: Pre-population). */
import type { PopulatePayload } from '../../schemas/index.js';

export const populate: PopulatePayload = {
  prm_ids: ['01234567890123', '09876543210987'],
  pce_ids: ['21234567890123'],
  customer_category: 'RESIDENTIAL',
};
