// The door of the account feature: what other features use of it. The screen is loaded by the router.
export { NarrowingChoice, isUsableNarrowing } from './narrowing-choice.tsx'
export type { Narrowing } from './narrowing-choice.tsx'
