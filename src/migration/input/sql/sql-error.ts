/** Exports `SqlError`: a SQL file or one of its sources cannot be used until the user corrects it. */
import { InputError } from '../input-error.js';

export class SqlError extends InputError {
  override readonly name = 'SqlError';
}
