/** The sandbox against an independent model, a little; `npm run test:full` does it at length. */
// @module-tag long
import { behavesAsTheModel } from './model-property.js';

behavesAsTheModel(50);
