/** Before a test file is loaded in the kept thread: no mutant is active until its tests begin. Stryker has this global. */
const stryker = (globalThis as { __stryker__?: { activeMutant?: string | undefined } }).__stryker__;
if (stryker !== undefined) stryker.activeMutant = undefined;
