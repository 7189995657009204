// The door of the objects feature: what other features and the frame may use. Screens are loaded by the router itself.
import { lazyPart } from '../../lib/lazy-part.ts'

export { displayFieldOf, fieldList, labelsOf, objectLabel, objectPluralLabel } from './object-item.ts'
export type { FieldItem, ObjectItem } from './object-item.ts'
export {
  objectsQuery,
  readObjects,
  recordCountQuery,
  refreshObjects,
  refreshRecordCount,
  useObject,
  useObjects,
} from './object-queries.ts'
export { nameFromLabel, uniqueName } from './object-names.ts'
export { hasOptions } from './field-settings.ts'
export { typeLabel } from './field-types.ts'
export { deleteObject } from './delete-object.ts'
export { leaveQuestion } from './leave-question.ts'
export type { FieldPlace } from './field-in-place.tsx'

/** Editing a field, or adding one, from the records of its object; loaded when it is first shown. */
export const FieldInPlace = lazyPart(async () => ({ default: (await import('./field-in-place.tsx')).FieldInPlace }))
