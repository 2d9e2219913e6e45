/** The sandbox against an independent model, at length (FC_SEED repeats a run). */
import { behavesAsTheModel } from '../sandbox/model/model-property.js';

behavesAsTheModel(1000);
