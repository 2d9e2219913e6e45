/** `SqlError`: a SQL file or one of its sources cannot be used. The user corrects it; the same command would fail again. */
import { InputError } from '../input-error.js';

export class SqlError extends InputError {
  override readonly name = 'SqlError';
}
