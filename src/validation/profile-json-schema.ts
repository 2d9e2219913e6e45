/** Exports `profileJsonSchema`, from which editors complete and check a deployment profile. The build writes it into the package. */
import * as z from 'zod';
import { profileSchema } from './profile.js';

/** Returns the JSON Schema (draft 2020-12) of a profile. */
export function profileJsonSchema(): Record<string, unknown> {
  return { ...z.toJSONSchema(profileSchema(), { io: 'input' }), $id: 'urn:data-import-sdk:profile' };
}
