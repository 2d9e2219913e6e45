/** Supply points to be looked up beforehand (document: Pre-population). */
import type { Populate } from '../../schemas/index.js';

export const populate: Populate = {
  prm_ids: ['01234567890123', '09876543210987'],
  pce_ids: ['21234567890123'],
  customer_category: 'RESIDENTIAL',
};
